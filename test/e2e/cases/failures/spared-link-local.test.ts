import { sparesTheCache } from "./themes";

sparesTheCache("link-local");
