import { endsTheCache } from "./themes";

endsTheCache("link-local");
