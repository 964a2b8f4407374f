import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { resolve } from "node:path";

import { expect, test } from "vitest";

import { DEBIAN_PACKAGES, findProgram, missingPackages } from "./debian-packages.mjs";

const ROOT = resolve(import.meta.dirname, "../..");

/** Only for setting up, or with systemd. */
const ELSEWHERE = ["journalctl", "systemctl"];

/** `run("restic", …)`, `{ command: "restic", … }`, `["ssh", …options]` and the like. */
const CALLS =
  /\b(?:spawn|execFile|execFileSync|run|promisify\(execFile\))\(\s*"([^"]+)"|\bcommand: "([^" ]+)"|return \["([\w-]+)", \.\.\.|(?:existing|added|JOURNAL\b.*)[:=] \["([\w-]+)"/g;

function calledPrograms(): Set<string> {
  const folders = ["server", "worker", "mail"];
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...folders], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const isProduct = (file: string) =>
    /\.(ts|mjs)$/.test(file) && !/\.test\.ts$|server\/(testing|cli\/bootstrap)\//.test(file);
  const called = new Set<string>();
  for (const file of files.split("\n").filter(isProduct)) {
    const text = readFileSync(resolve(ROOT, file), "utf8");
    if (!text.includes("node:child_process") && !text.includes("asServiceUser")) continue;
    for (const match of text.matchAll(CALLS)) called.add(match.slice(1).find(Boolean)!);
  }
  return called;
}

/** The given programs that no essential or required package of Debian has, nor one of `packages`. */
function othersThan(packages: string[], programs: string[]): string[] {
  const paths = new Map(programs.map((program) => [program, pathsOf(program)]));
  const owners = query(["-S", ...[...paths.values()].flat()]).matchAll(/^([^:]+):.* (.*)$/gm);
  const owner = new Map([...owners].map(([, name, path]) => [path, name!]));
  const format = "${Package} ${Essential} ${Priority}\n";
  const basic = query(["-W", "-f", format, ...new Set(owner.values())]).matchAll(
    /^(\S+) (?:yes .*|\S* ?required)$/gm,
  );
  const known = new Set([...packages, ...[...basic].map(([, name]) => name!)]);
  return programs.filter(
    (program) => !paths.get(program)!.some((path) => known.has(owner.get(path) ?? "")),
  );
}

/** The package may name the path from before Debian merged /bin into /usr/bin. */
function pathsOf(program: string): string[] {
  const found = findProgram(program, `${process.env.PATH}:/usr/sbin`);
  return found ? [found, realpathSync(found), found.replace(/^\/usr/, "")] : [];
}

function query(args: string[]): string {
  // It fails if one of the paths belongs to no package.
  return spawnSync("dpkg-query", args, { encoding: "utf8" }).stdout;
}

test("every program that Posthouse calls is in each Debian system or is installed with Posthouse", () => {
  const installed = Object.values(DEBIAN_PACKAGES).flatMap((packages) => Object.keys(packages));
  const called = calledPrograms();
  expect([...called]).toEqual(
    expect.arrayContaining(["doveadm", "restic", "setpriv", "ssh", "tail"]),
  );
  const others = othersThan(installed, [...called]);
  expect(others.filter((program) => !ELSEWHERE.includes(program))).toEqual([]);
});

test("the image has every package", () => {
  const dockerfile = readFileSync(resolve(ROOT, "docker/Dockerfile"), "utf8");
  for (const packages of Object.values(DEBIAN_PACKAGES))
    for (const name of Object.keys(packages))
      expect(dockerfile).toMatch(new RegExp(`\\b${name}\\b`));
});

test("installs only the system packages whose files are missing", () => {
  const packages = { "dovecot-core": "/usr/sbin/dovecot", "dovecot-sieve": "/usr/lib/sieve.so" };
  expect(missingPackages(packages, (file) => file === "/usr/sbin/dovecot")).toEqual([
    "dovecot-sieve",
  ]);
});
