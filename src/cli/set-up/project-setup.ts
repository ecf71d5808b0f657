// The files that `init` creates in a project, and which of them are missing.
import {
  type Assumption,
  ASSUMPTIONS,
  STANDARD_ASSUMPTIONS,
} from "../../core/assumptions/table.ts";
import { jsonError, withoutByteOrderMark } from "../../wire/json.ts";
import { PROGRAM } from "../../platform/program.ts";
import { type Message, say } from "../../text/message.ts";
import { FRAMEWORKS, type Package, planTest } from "./frameworks.ts";
import { exists, planFile, readText, type Step, unusable } from "./steps.ts";

/** The set-up that a project needs. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Whether a test imports the package, which the project does not have. */
  readonly needsPackage: boolean;
  /** The command that runs the test of the only framework; undefined with none or several. */
  readonly testCommand: string | undefined;
}

const STATE_FOLDER = ".pix-sandbox/";
/** Where coding agents look; in English, as the page is. */
const FOR_AGENTS =
  "Code that takes or sends Pix payments runs against pix-sandbox: read node_modules/pix-sandbox/AGENTS.md first.";

/**
 * Finds what is missing in a folder. Changes nothing.
 * @throws CliError if an existing file cannot be read, or package.json is not a JSON object.
 */
export async function planSetup(folder: string, configFile: string): Promise<Plan> {
  const manifest = await readPackage(folder);
  const names = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
  const frameworks = FRAMEWORKS.filter((one) => one.isIn(names, manifest));
  const steps = [
    planConfig(folder, configFile),
    planLine(folder, ".gitignore", STATE_FOLDER, /^\/?\.pix-sandbox\/?\s*$/m),
    planLine(folder, "AGENTS.md", FOR_AGENTS, /pix-sandbox\/AGENTS\.md/),
    ...frameworks.flatMap((one) => one.planConfig?.(folder, manifest) ?? []),
  ];
  const [only, ...others] = frameworks;
  // vitest and jest would run the test of another framework too.
  if (only && others.length === 0) steps.push(planTest(only, folder, manifest));
  return {
    steps: await Promise.all(steps),
    needsPackage: frameworks.length > 0 && !names.has("pix-sandbox"),
    testCommand: others.length === 0 ? only?.command : undefined,
  };
}

/** The config file sets what most integrations decide on, to the defaults: nothing that would change `exec`. */
async function planConfig(folder: string, file: string): Promise<Step> {
  const assumptions = Object.fromEntries(DECIDED.map((name) => [name, STANDARD_ASSUMPTIONS[name]]));
  const config = { $schema: "./node_modules/pix-sandbox/config.schema.json", assumptions };
  const step = await planFile(folder, file, `${JSON.stringify(config, null, 2)}\n`);
  return step.text === undefined ? step : { ...step, about: [...DECIDED.map(explain), OTHERS] };
}

const DECIDED = ["payout.rival", "webhook.retries"] as const;

function explain(name: (typeof DECIDED)[number]): Message {
  const { gap, choices }: Assumption = ASSUMPTIONS[name];
  return say`${name}: ${gap} (${Object.keys(choices).join(", ")})`;
}

const OTHERS = say`All choices and what they mean: ${PROGRAM} assumptions`;

/** A line that a file needs: it is added unless the file has it. */
async function planLine(folder: string, file: string, line: string, same: RegExp): Promise<Step> {
  if (!(await exists(folder, file))) return { file, text: `${line}\n` };
  const text = await readText(folder, file);
  if (same.test(text)) return { file };
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const isComplete = text === "" || text.endsWith("\n");
  return { file, text: `${isComplete ? "" : newline}${line}${newline}`, isAddition: true };
}

async function readPackage(folder: string): Promise<Package> {
  const file = "package.json";
  if (!(await exists(folder, file))) return {};
  const text = await readText(folder, file);
  const manifest = parsePackage(text);
  if (typeof manifest === "object" && manifest !== null && !Array.isArray(manifest))
    return manifest;
  throw unusable(say`package.json is not a JSON object.`);
}

function parsePackage(text: string): unknown {
  const content = withoutByteOrderMark(text);
  try {
    return JSON.parse(content);
  } catch {
    throw unusable(say`package.json is not JSON: ${jsonError(content)}.`);
  }
}
