import { describeSameAnswers } from "../../lib/same-answers/suite";

describeSameAnswers(({ isOfCI }) => isOfCI === true, false);
