import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { InProcess } from "../../http/faces/in-process.ts";
import { readPageFile } from "../../http/pages/inspector.ts";
import { makeFolders } from "../../platform/folders.ts";
import { wallNowMs } from "../../platform/real-time.ts";
import { type Language, LANGUAGE_NAMES } from "../../text/languages.ts";
import { toIso } from "../../wire/timestamp.ts";
import { type Row, type Trace, TRACE_ROWS, type TraceRows } from "../../wire/trace.ts";
import { VERSION } from "../../wire/names.ts";
import { maskTrace } from "./mask.ts";

/** Lists in the order of creation; of the others, all rows are shown. */
const LONG: ReadonlySet<string> = new Set([
  "/payins",
  "/payouts",
  "/deliveries",
  "/requests",
  "/faults",
]);
/** The newest rows of a list: as many as a page can have. */
const NEWEST = "?order=desc&limit=1000";

interface Source {
  readonly server: Pick<InProcess, "call">;
  /** Null for all. */
  readonly integration: string | null;
  readonly controlToken: string | undefined;
  /** What must not be in the file, wherever it was sent. */
  readonly secrets: readonly string[];
}

/** Writes a trace as one HTML file: the inspector with the responses of the routes that it reads. */
export async function toTraceFile(source: Source): Promise<string> {
  const trace = maskTrace(await readTrace(source), source.secrets);
  const [code, style] = await Promise.all(["inspector.js", "inspector.css"].map(readPageFile));
  return toPage(JSON.stringify(trace), code ?? "", style ?? "");
}

async function readTrace({ server, integration, controlToken }: Source): Promise<Trace> {
  const read = async <Value>(route: string, token: string | null, language: Language = "en") => {
    const reply = await server.call(`/_sandbox${route}`, {
      method: "GET",
      headers: {
        ...(token !== null && { "x-api-token": Buffer.from(token).toString("latin1") }),
        ...(controlToken !== undefined && { authorization: `Bearer ${controlToken}` }),
        "x-sandbox-language": language,
      },
    });
    const value = await reply.json();
    if (reply.status !== 200) throw new Error((value as { message: string }).message);
    return value as Value;
  };
  const rowsOf = async (route: string): Promise<readonly Row[]> => {
    // The faults of all integrations act on the calls of each.
    const token = route === "/faults" ? null : integration;
    const { data } = await read<{ data: readonly Row[] }>(
      LONG.has(route) ? route + NEWEST : route,
      token,
    );
    return data.filter(
      (row) => integration === null || row.integration === null || row.integration === integration,
    );
  };
  const lists = await Promise.all(TRACE_ROWS.map(async (one) => [one, await rowsOf(one)] as const));
  const texts = await Promise.all(
    LANGUAGE_NAMES.map(async (language) => {
      const [report, rules, assumptions] = await Promise.all(
        ["/report?final=true", "/report/rules", "/assumptions"].map((route) =>
          read<object>(route, integration, language),
        ),
      );
      return [
        language,
        { "/report": report, "/report/rules": rules, "/assumptions": assumptions },
      ] as const;
    }),
  );
  return {
    program: VERSION,
    written_at: toIso(wallNowMs()),
    rows: Object.fromEntries(lists) as TraceRows,
    values: {
      "/clock": await read<object>("/clock", integration),
    },
    texts: Object.fromEntries(texts) as Trace["texts"],
  };
}

/** The page of a trace. Its policy lets it run its own code only, and load nothing. */
function toPage(json: string, code: string, style: string): string {
  // Neither data nor a program ends its own element.
  const data = json.replaceAll("<", "\\u003c");
  const script = code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const hash = createHash("sha256").update(script).digest("base64");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:">
<title>pix-sandbox</title>
<link rel="icon" href="data:,">
<style>${style.replaceAll("</", "<\\/")}</style>
</head>
<body>
<noscript>This page needs JavaScript. Esta página precisa de JavaScript.</noscript>
<script type="application/json" id="trace">${data}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** Writes a file, with its folder. */
export async function writeToFile(file: string, text: string): Promise<void> {
  await makeFolders(path.resolve(path.dirname(file)));
  await writeFile(file, text);
}
