import { endsTheCache } from "./themes";

endsTheCache("service-ip");
