import type { Construct } from "constructs";

/** Explanations for a reader of the YAML, by the line that has the value: `minReadySeconds: 9`. */
export interface Remarks {
  readonly [line: string]: string;
}

const type = "cluster-dns/remarks";

export function remark(construct: Construct, remarks: Remarks): void {
  construct.node.addMetadata(type, remarks);
}

export function remarksOn(construct: Construct): Remarks | undefined {
  return construct.node.metadata.find((entry) => entry.type === type)?.data as Remarks | undefined;
}
