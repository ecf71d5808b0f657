// Says what others wrote of the bundle: each package's license, and a bill of materials in CycloneDX.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/** The texts of licenses that packages name without a file. @type {Record<string, string>} */
const STANDARD_TEXTS = {
  Unlicense: `This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this software, either in source code form or
as a compiled binary, for any purpose, commercial or non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this software dedicate any and all copyright
interest in the software to the public domain. We make this dedication for the benefit of the public at large and to the
detriment of our heirs and successors. We intend this dedication to be an overt act of relinquishment in perpetuity of
all present and future rights to this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

For more information, please refer to <https://unlicense.org/>
`,
};

/**
 * A part of the bundle that others wrote.
 * @typedef {{ name: string, version?: string, license: string, text: string, purl: string, sha512?: string }} Component
 */

/**
 * Writes the licenses and the bill of materials of all packages whose code went into the bundle.
 * @param {readonly string[]} modules the files of the bundle's modules
 * @throws Error if an installed package is another one than the lock file says
 */
export async function writeComponents(modules) {
  const lock = JSON.parse(await readFile("package-lock.json", "utf8")).packages;
  const folders = modules
    .map((file) => /^(.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(file)?.[1])
    .filter((folder) => folder !== undefined);
  const packages = await Promise.all([...new Set(folders)].map((one) => readComponent(one, lock)));
  const components = packages.toSorted((one, other) => (one.purl < other.purl ? -1 : 1));
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  const bill = `${JSON.stringify(billOf(components, version), null, 2)}\n`;
  await writeFile("dist/THIRD-PARTY-LICENSES.txt", licensesOf(components));
  await writeFile("dist/sbom.cdx.json", bill);
}

/** @returns {Promise<Component>} */
async function readComponent(folder, lock) {
  const {
    name,
    version,
    licenses = [],
    license = licenses.map(({ type }) => type).join(" OR "),
  } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  // From the first node_modules on: the folder itself can be a link.
  const locked = lock[folder.slice(folder.indexOf("node_modules")).replaceAll("\\", "/")];
  if (locked?.version !== version || !locked.integrity?.startsWith("sha512-"))
    throw new Error(`${name} ${version} is not what package-lock.json says. Run npm ci.`);
  return {
    name,
    version,
    license: license.replace("Apache 2.0", "Apache-2.0"),
    text: await textOf(folder, license),
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    sha512: Buffer.from(locked.integrity.slice("sha512-".length), "base64").toString("hex"),
  };
}

async function textOf(folder, license) {
  const names = [
    "LICENSE",
    "LICENSE.md",
    "LICENSE.txt",
    "license",
    "License",
    "LICENCE",
    "LICENSE-MIT",
  ];
  const texts = await Promise.all(
    names.map((file) => readFile(path.join(folder, file), "utf8").catch(() => "")),
  );
  const standard = STANDARD_TEXTS[license] ?? "No license text is part of the package.";
  return texts.find(Boolean) ?? standard;
}

/** @param {readonly Component[]} components */
function licensesOf(components) {
  return components
    .map(({ name, version, license, text }) => {
      const title = version === undefined ? name : `${name} ${version}`;
      return `${title} (${license})\n\n${text}`;
    })
    .join(`\n${"-".repeat(72)}\n\n`);
}

/**
 * The bill of materials in CycloneDX 1.6. It has no time and no serial number: two builds of a commit are equal.
 * @param {readonly Component[]} components
 * @param {string} version the package's own
 */
function billOf(components, version) {
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": `pkg:npm/pix-sandbox@${version}`,
        name: "pix-sandbox",
        version,
        purl: `pkg:npm/pix-sandbox@${version}`,
        licenses: [{ expression: "MIT" }],
      },
    },
    components: components.map(({ name, license, purl, sha512, ...component }) => ({
      type: "library",
      "bom-ref": purl,
      name,
      ...(component.version !== undefined && { version: component.version }),
      purl,
      licenses: [{ expression: license }],
      ...(sha512 !== undefined && { hashes: [{ alg: "SHA-512", content: sha512 }] }),
    })),
  };
}
