import { kubernetesSuite } from "./suite";

kubernetesSuite({ ipFamilies: "dual", interception: "local-redirect" });
