import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { debianPackages, nodePackages } from "./image-packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * The bill of materials, in SPDX: npm's of this package, development too, because the agent is bundled from it; and
 * what the agent's image has beside.
 */
export function sbom(agentImage = "NOASSERTION") {
  const bill = npmJson("sbom", "--package-lock-only", "--sbom-format", "spdx");
  const [main] = bill.documentDescribes;
  const image = {
    ...spdxPackage(
      "SPDXRef-Image",
      "cluster-dns-agent",
      bill.packages.find(({ SPDXID }) => SPDXID === main).versionInfo,
    ),
    downloadLocation: agentImage,
    primaryPackagePurpose: "CONTAINER",
  };
  const contents = [
    ...debianPackages().map(({ name, version, architecture, checksum }) => ({
      ...spdxPackage(`SPDXRef-Debian-${architecture}-${name}`, name, version),
      checksums: [{ algorithm: "SHA256", checksumValue: checksum }],
      externalRefs: [
        purl(`pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=bookworm`),
      ],
    })),
    ...nodePackages().map(({ name, version, integrity }) => ({
      ...spdxPackage(`SPDXRef-Node-${name}`, name, version),
      checksums: [{ algorithm: "SHA512", checksumValue: hex(integrity) }],
      externalRefs: [purl(`pkg:npm/${name}@${version}`)],
    })),
  ];
  const relation = (spdxElementId, relationshipType, relatedSpdxElement) => ({
    spdxElementId,
    relatedSpdxElement,
    relationshipType,
  });
  return withValidIds({
    ...bill,
    // npm gives milliseconds, which SPDX has not
    creationInfo: { ...bill.creationInfo, created: bill.creationInfo.created.replace(/\.\d+Z$/, "Z") },
    documentDescribes: [main, image.SPDXID],
    packages: [...bill.packages, image, ...contents],
    relationships: [
      ...bill.relationships,
      relation(bill.SPDXID, "DESCRIBES", image.SPDXID),
      ...[main, ...contents.map(({ SPDXID }) => SPDXID)].map((id) => relation(image.SPDXID, "CONTAINS", id)),
    ],
  });
}

/** An identifier may have letters, digits, `.` and `-`; npm's also have `_`. */
function withValidIds(bill) {
  const ids = ["SPDXID", "spdxElementId", "relatedSpdxElement"];
  return JSON.parse(JSON.stringify(bill), (key, value) =>
    ids.includes(key) ? value.replaceAll(/[^A-Za-z0-9.-]/g, "-") : value,
  );
}

/** What an npm command prints as JSON, even if it fails. */
export function npmJson(...args) {
  const { stdout, stderr } = spawnSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 });
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`npm ${args.join(" ")}: ${stderr || stdout}`);
  }
}

function spdxPackage(SPDXID, name, versionInfo) {
  const unknown = { downloadLocation: "NOASSERTION", licenseConcluded: "NOASSERTION", licenseDeclared: "NOASSERTION" };
  return { SPDXID, name, versionInfo, filesAnalyzed: false, ...unknown };
}

function purl(referenceLocator) {
  return { referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator };
}

function hex(integrity) {
  return Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
}
