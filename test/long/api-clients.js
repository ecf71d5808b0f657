// Reads an OpenAPI document as Postman and Insomnia import it, and the collection of Bruno, and prints them as JSON.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import bruno from "@usebruno/lang";
import insomnia from "insomnia-importers";
import postman from "openapi-to-postmanv2";

const [, , documentFile = "", brunoFolder = ""] = process.argv;
const document = await readFile(documentFile, "utf8");

const settings = { parametersResolution: "Example", enableOptionalParameters: false };
const converted = await new Promise((resolve, reject) =>
  postman.convertV2({ type: "string", data: document }, settings, (error, result) =>
    error || !result.result
      ? reject(error ?? new Error(result.reason))
      : resolve(result.output[0].data),
  ),
);

const imported = await insomnia.convert(document);

const names = (await readdir(brunoFolder, { recursive: true })).filter((name) =>
  name.endsWith(".bru"),
);
const read = async (name) => {
  const text = await readFile(path.join(brunoFolder, name), "utf8");
  const parse = name.startsWith("environments") ? bruno.bruToEnvJsonV2 : bruno.bruToJsonV2;
  return [name, parse(text)];
};

process.stdout.write(
  JSON.stringify({
    postman: converted,
    insomnia: imported.data.resources,
    bruno: Object.fromEntries(await Promise.all(names.map(read))),
  }),
);
