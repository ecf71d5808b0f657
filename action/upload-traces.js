// Uploads traces as an artifact of the run, as GitHub's own action does: one archive for all of them.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

const SERVICE = "/twirp/github.actions.results.api.v1.ArtifactService/";
/** The version of the archives that GitHub shows. */
const VERSION = 4;

/**
 * Uploads the traces in a folder. The runner gives an action what it needs for that in its environment.
 * @param {string} folder
 * @returns {Promise<string | undefined>} the artifact's name; undefined if there is nothing to upload, or no service
 */
export async function uploadTraces(folder) {
  const { ACTIONS_RUNTIME_TOKEN: token, ACTIONS_RESULTS_URL: url, GITHUB_JOB: job } = process.env;
  const names = existsSync(folder)
    ? readdirSync(folder).filter((one) => one.endsWith(".html"))
    : [];
  if (!token || !url || names.length === 0) return undefined;
  const [run = "", jobRun = ""] = idsIn(token);
  // The jobs of a matrix have one name: the id tells them apart.
  const name = `pix-sandbox-traces-${job ?? "job"}-${jobRun.slice(0, 8)}`;
  const of = { workflow_run_backend_id: run, workflow_job_run_backend_id: jobRun, name };
  const call = async (method, body) => {
    const response = await fetch(new URL(SERVICE + method, url), {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ ...of, ...body }),
    });
    const answer = response.ok ? await response.json() : {};
    if (!answer.ok) throw new Error(`${method} was refused with ${response.status}.`);
    return answer;
  };

  const { signed_upload_url: place } = await call("CreateArtifact", { version: VERSION });
  const zip = toZip(names.map((one) => [one, readFileSync(path.join(folder, one))]));
  const stored = await fetch(place, {
    method: "PUT",
    headers: { "content-type": "application/zip", "x-ms-blob-type": "BlockBlob" },
    body: zip,
  });
  if (!stored.ok) throw new Error(`The upload was refused with ${stored.status}.`);
  const hash = `sha256:${createHash("sha256").update(zip).digest("hex")}`;
  await call("FinalizeArtifact", { size: String(zip.length), hash });
  return name;
}

/** The ids of the run and of the job that a token allows to write results for. */
function idsIn(token) {
  const [, claims = ""] = token.split(".");
  const { scp = "" } = JSON.parse(Buffer.from(claims, "base64url").toString());
  const scope = scp.split(" ").find((one) => /^Actions\.Results:[^:]+:[^:]+$/.test(one));
  if (scope === undefined) throw new Error("The runner's token allows no artifacts.");
  return scope.split(":").slice(1);
}

/**
 * A ZIP archive. Names are in UTF-8, and files have no time: equal traces make equal archives.
 * @param {[name: string, content: Buffer][]} files
 */
function toZip(files) {
  const locals = [];
  const entries = [];
  let offset = 0;
  for (const [name, content] of files) {
    const bytes = Buffer.from(name);
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // the version that reads it
    common.writeUInt16LE(0x0800, 2); // names are UTF-8
    common.writeUInt16LE(8, 4); // deflate
    common.writeUInt16LE(0x21, 8); // the first day that a time can be
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(bytes.length, 22);
    locals.push(Buffer.from("PK\u0003\u0004"), common, bytes, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.from("PK\u0001\u0002\u0014\u0000"), common, rest, bytes);
    offset += 30 + bytes.length + packed.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
