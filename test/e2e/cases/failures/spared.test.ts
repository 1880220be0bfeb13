import { sparesTheCache } from "./themes";

sparesTheCache("service-ip");
