import fc from "fast-check";
import { seed } from "../rig/seed";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
