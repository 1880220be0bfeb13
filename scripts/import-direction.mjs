// Lint rule: imports run one way. Each folder of src/ may import only itself and the folders listed here, and not the
// packages refused here; tests and benchmarks import src/ and rig/, not each other.
import { dirname, relative, resolve, sep } from "node:path";

const mayImport = {
  model: [],
  config: ["model"],
  agent: ["model"],
  constructs: ["model"],
  charts: ["model", "constructs"],
  output: ["model", "config", "constructs", "charts"],
  live: ["model", "config", "constructs", "charts", "output"],
  cli: ["model", "config", "constructs", "charts", "output", "live"],
  "main.ts": ["config", "output"],
  "index.ts": ["model", "constructs"],
};

/** What the model and the agent leave to others: the outside world to the edges, manifests to the synthesizer. */
const noPackage = {
  model: /^(?:node:(?!crypto$)|cdk8s|constructs$|yaml$)/,
  agent: /^(?:cdk8s|constructs$)/,
  config: /^(?:cdk8s|constructs$)/,
};

/** Folders of src/agent that its programs share. Each other folder is a program, and programs never import each other. */
const shared = ["dns", "hosts-file", "http", "kernel", "kube"];

/** Outside src/: a folder, and those it must not import. */
const mayNotImport = {
  rig: ["test", "bench", "site"],
  bench: ["test", "site"],
  test: ["bench", "site"],
  site: ["test", "bench", "rig"],
};

const rule = {
  meta: {
    type: "problem",
    docs: {
      description:
        "imports run one way: model <- config, agent, constructs <- charts <- output <- live <- cli; rig <- test, bench",
    },
  },
  create(context) {
    const src = resolve(context.cwd, "src");
    const [from, program, inProgram] = relative(src, context.filename).split(sep);
    const [room] = relative(context.cwd, context.filename).split(sep);
    if (!(from in mayImport) && !(room in mayNotImport)) return {};

    const check = ({ source }) => {
      if (typeof source?.value !== "string") return;
      const problemOfFile = room in mayNotImport ? problemOfRoom : problemOfFolder;
      const problem = source.value.startsWith(".") ? problemOfFile(source.value) : problemOfPackage(source.value);
      if (problem) context.report({ node: source, message: problem });
    };
    const problemOfRoom = (specifier) => {
      const [to] = relative(context.cwd, resolve(dirname(context.filename), specifier)).split(sep);
      return mayNotImport[room].includes(to)
        ? `${room} must not import from ${to}: code that both use belongs in rig`
        : undefined;
    };
    const problemOfFolder = (specifier) => {
      const [to, otherProgram, inOther] = relative(src, resolve(dirname(context.filename), specifier)).split(sep);
      const target = `${to}.ts` in mayImport ? `${to}.ts` : to;
      if (target !== from && !mayImport[from].includes(target)) {
        return `src/${from} may import from ${[...mayImport[from], "itself"].join(", ")}, not from ${target}`;
      }
      const crosses =
        from === "agent" &&
        target === from &&
        program !== otherProgram &&
        inProgram !== undefined &&
        inOther !== undefined &&
        !shared.includes(program) &&
        !shared.includes(otherProgram);
      return crosses
        ? `agent programs must not import each other: put shared code directly under src/agent (${program} imports ${otherProgram})`
        : undefined;
    };
    const problemOfPackage = (specifier) =>
      noPackage[from]?.test(specifier) ? `src/${from} must not import ${specifier}` : undefined;
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

export default { meta: { name: "cluster-dns" }, rules: { "import-direction": rule } };
