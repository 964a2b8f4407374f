import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { COMPANION_PACKAGES, DEBIAN_PACKAGES } from "#server/gateways/debian-packages.mjs";

import { inRoot } from "./bootstrap/paths.mjs";
import { npmPackages } from "./bootstrap/sbom.mjs";

const read = (file: string) => readFileSync(inRoot(file), "utf8");
const DOCKERFILE = read("docker/Dockerfile");
const COMPOSE = read("docker/compose.yaml");
const RELEASE = read(".github/workflows/release.yml");
const lastStage = DOCKERFILE.slice(DOCKERFILE.lastIndexOf("\nFROM "));

/** The ports of a list in YAML, such as `- "443:443"`. */
const published = (yaml: string) =>
  [...yaml.matchAll(/"(\d+):(\d+)"/g)].map(([, host, container]) => {
    expect(host).toBe(container);
    return Number(host);
  });

test("the image runs as a user without privileges, checks its health, and is built only if it is complete", () => {
  expect([...DOCKERFILE.matchAll(/^USER (.*)$/gm)].map(([, user]) => user)).toEqual(["posthouse"]);
  const asRoot = lastStage.slice(0, lastStage.indexOf("\nUSER posthouse"));
  const checks = ["node server/cli/bootstrap/sbom.mjs", "dovecot --version", "rspamd --version"];
  for (const check of [...checks, "restic version", "ssh -V"])
    expect(asRoot).toContain(` && ${check}`);
  expect(asRoot).not.toMatch(/^(CMD|ENTRYPOINT)/m);
  expect(lastStage).toMatch(/^HEALTHCHECK /m);
});

test("every npm package of the image has its license", () => {
  const unlicensed = npmPackages(({ dev }) => !dev)
    .filter(({ license }) => !existsSync(license))
    .map(({ component }) => component.name);
  // docker/remove-unused.sh deletes these.
  expect(unlicensed.filter((name) => !/^@(img|next)\/(sharp-|swc-)/.test(name))).toEqual([]);
});

test("the image has Debian's packages that Posthouse calls", () => {
  const [, packages] =
    /apt-get install -y --no-install-recommends ([^&]*ca-certificates[^&]*)/.exec(DOCKERFILE)!;
  const needed = Object.values(DEBIAN_PACKAGES).flatMap((group) => Object.keys(group));
  expect(packages!.split(/[\s\\]+/)).toEqual(expect.arrayContaining([...needed, "tini"]));
});

test("webmail's image has the packages that `posthouse webmail enable` installs, and no privileges", () => {
  const dockerfile = read("docker/webmail/Dockerfile");
  const installed = [...dockerfile.matchAll(/--no-install-recommends ([a-z0-9 -]+)/g)];
  expect(installed).toHaveLength(COMPANION_PACKAGES.webmail.length);
  for (const [index, packages] of COMPANION_PACKAGES.webmail.entries())
    expect(installed[index]![1]!.trim().split(" ")).toEqual(
      expect.arrayContaining(Object.keys(packages)),
    );
  expect([...dockerfile.matchAll(/^USER (.*)$/gm)].map(([, user]) => user)).toEqual(["webmail"]);
  const networks = { webmail: "[webmail]", "webmail-gate": "[webmail, gate]" };
  for (const [name, list] of Object.entries(networks)) expectConfined(name, `networks: ${list}`);
  for (const name of ["webmail", "gate"])
    expect(COMPOSE).toContain(`  ${name}:\n    internal: true\n`);
  // Without it, webmail could connect to the server's own programs, at the address of the bridge.
  expect(COMPOSE).toContain(
    '  webmail:\n    internal: true\n    driver_opts: { com.docker.network.bridge.inhibit_ipv4: "true" }\n',
  );
});

test("the image for calendars runs as the appliance's user, without a network", () => {
  const dockerfile = read("docker/calendar/Dockerfile");
  const packages = Object.keys(COMPANION_PACKAGES.calendar[0]!).join(" ");
  expect(dockerfile).toContain(`--no-install-recommends ${packages}`);
  const user = (text: string) => /useradd --system --uid (\d+)/.exec(text)![1];
  expect(user(dockerfile)).toBe(user(DOCKERFILE));
  expectConfined("calendar", "network_mode: none");
});

/** Expects a service with the restrictions that all containers share, this network setting, and no published ports. */
function expectConfined(name: string, network: string): void {
  const service = new RegExp(`^ {2}${name}:.*\\n((?: {4}.*\\n)+)`, "m").exec(COMPOSE)![1]!;
  expect(service).toMatch(/^ {4}<<: \*container\n/);
  expect(service).toContain(`    ${network}\n`);
  expect(service).not.toContain("ports:");
}

test("the image is based on Debian 12 unless DEBIAN_IMAGE names another", () => {
  expect(DOCKERFILE).toContain("\nARG DEBIAN_IMAGE=debian:bookworm-slim\n");
  expect(COMPOSE).toContain("DEBIAN_IMAGE: ${DEBIAN_IMAGE:-debian:bookworm-slim}\n");
  expect(DOCKERFILE).toContain("\nFROM ${DEBIAN_IMAGE} AS system\n");
});

test.each(["compose.yaml", "compose.scale.yaml"])(
  "containers of %s can write to their volumes only and gain no privileges",
  (file) => {
    const yaml = read(`docker/${file}`);
    for (const line of [
      "read_only: true",
      "tmpfs: [/tmp, /run]",
      "cap_drop: [ALL]",
      'security_opt: ["no-new-privileges:true"]',
      "net.ipv4.ip_unprivileged_port_start: 0",
    ])
      expect(yaml).toContain(`${line}\n`);
    expect(yaml).not.toMatch(/^\s*(user|privileged|cap_add):/m);
  },
);

test("the ports of the image, of compose.yaml and of compose.scale.yaml are the same", () => {
  const [, exposed] = /^EXPOSE (.*)$/m.exec(DOCKERFILE)!;
  const ports = exposed!.split(" ").map(Number).toSorted();
  expect(published(COMPOSE).toSorted()).toEqual(ports);
  expect(published(read("docker/compose.scale.yaml")).toSorted()).toEqual(ports);
});

test("compose.yaml passes on each setting of docs/settings.md, except those that the image sets", () => {
  const set = /^ENV [^]*?[^\\]$/m.exec(lastStage)![0];
  const table = read("docs/settings.md")
    .match(/^\| `[^|]*\|/gm)!
    .join("");
  const settings = [...table.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name!);
  expect(settings).toContain("POSTHOUSE_RELAY_URL");
  const missing = settings.filter((name) => !new RegExp(`\\b${name}=`).test(set));
  for (const name of missing) expect(COMPOSE).toContain(`      ${name}: \${${name}:-}\n`);
});

test("a release's compose.yaml uses the published image instead of a build", () => {
  const [, command] = /( {10}sed [^]*?) > compose\.yaml/.exec(RELEASE)!;
  const env = { ...process.env, IMAGE: "ghcr.io/owner/posthouse", VERSION: "1.2.3" };
  const compose = execFileSync("sh", ["-c", command!], { cwd: inRoot("."), env, encoding: "utf8" });
  expect(compose).toContain("image: ${POSTHOUSE_IMAGE:-ghcr.io/owner/posthouse:1.2.3}\n");
  expect(compose).toContain(
    "image: ${POSTHOUSE_WEBMAIL_IMAGE:-ghcr.io/owner/posthouse-webmail:1.2.3}\n",
  );
  expect(compose).toContain(
    "image: ${POSTHOUSE_CALENDAR_IMAGE:-ghcr.io/owner/posthouse-calendar:1.2.3}\n",
  );
  expect(compose).not.toMatch(/build|secrets|Dockerfile|EXTRA_CA/);
  expect(compose).toMatch(/\nvolumes:\n {2}data:\n {2}webmail:\n {2}calendars:\n {2}backup:\n$/);
});
