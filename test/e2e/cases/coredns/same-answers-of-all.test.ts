import { describeOddCorefiles, describeSameAnswers } from "../../lib/same-answers/suite";

describeSameAnswers(() => true, true);
describeOddCorefiles();
