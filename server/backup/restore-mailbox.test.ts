import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test, vi } from "vitest";

import { serviceUser } from "#server/processes/service-user.ts";

import { chooseStore, placeCollections, runDoveadm } from "./restore-mailbox.ts";

const STORES = {
  "example.com/ann-00000001": 5,
  "example.com/ann-00000002": 9,
  "example.com/ann-marie-00000003": 20,
};

const choose = (address: string, { store = "example.com/new-00000009", used = [] as string[] }) =>
  chooseStore(STORES, { address, store, used: [store, ...used] });

test("a mailbox that the backup has is restored from its own store, whatever its address was", () => {
  const store = "example.com/ann-00000001";
  expect(choose("marsh@example.com", { store })).toBe(store);
});

test("a mailbox that was created again is restored from the largest store of an earlier one", () => {
  expect(choose("ann@example.com", {})).toBe("example.com/ann-00000002");
});

test("no mailbox is restored from the store of another one, which may have had its address", () => {
  const renamed = ["example.com/ann-00000002"];
  expect(choose("ann@example.com", { used: renamed })).toBe("example.com/ann-00000001");
  const used = [...renamed, "example.com/ann-00000001"];
  expect(() => choose("ann@example.com", { used })).toThrow("has no mail of ann@example.com");
});

/** A doveadm that ends with these exit codes, the last one repeatedly, and its number of runs. */
function aDoveadm(...codes: number[]) {
  const folder = mkdtempSync(join(tmpdir(), "doveadm-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "runs"), "");
  const script = `#!/bin/sh
echo >> ${folder}/runs
runs=$(wc -l < ${folder}/runs)
set -- ${codes.join(" ")}
while [ $# -gt 1 ] && [ $runs -gt 1 ]; do shift; runs=$((runs - 1)); done
echo "ended with $1" >&2
exit $1
`;
  writeFileSync(join(folder, "doveadm"), script, { mode: 0o755 });
  chmodSync(join(folder, "runs"), 0o666);
  chmodSync(folder, 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
  return {
    configuration: join(folder, "dovecot.conf"),
    runs: () => readFileSync(join(folder, "runs"), "utf8").length,
  };
}

test("a restore that missed changes is repeated", async () => {
  const doveadm = aDoveadm(2, 2, 0);
  await runDoveadm(doveadm.configuration, ["backup"]);
  expect(doveadm.runs()).toBe(3);
});

test.each([
  [2, 5],
  [65, 1],
])("a restore that ends with code %i fails after %i runs", async (code, runs) => {
  const doveadm = aDoveadm(code);
  await expect(runDoveadm(doveadm.configuration, ["backup"])).rejects.toThrow(
    `Dovecot can't restore the mail: ended with ${code}`,
  );
  expect(doveadm.runs()).toBe(runs);
});

/** A copy with a calendar, an address book and the link to a group's calendar, and a home with another calendar. */
async function twoHomes() {
  const { uid } = await serviceUser();
  const folder = mkdtempSync(join(tmpdir(), "collections-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const create = (home: string, name: string, title: string) => {
    mkdirSync(join(folder, home, name), { recursive: true });
    const props = JSON.stringify({ "D:displayname": title, tag: "VCALENDAR" });
    writeFileSync(join(folder, home, name, ".Radicale.props"), props);
    writeFileSync(join(folder, home, name, "a.ics"), home);
  };
  create("copy", "calendar", 'The "big" one');
  create("copy", "a b & c", "Work");
  symlinkSync("../x", join(folder, "copy/group"));
  create("home", "calendar", "Calendar");
  execFileSync("chown", ["-R", String(uid), folder]);
  return { copy: join(folder, "copy"), home: join(folder, "home") };
}

const titleOf = (home: string, name: string) =>
  (JSON.parse(readFileSync(join(home, name, ".Radicale.props"), "utf8")) as Record<string, string>)[
    "D:displayname"
  ];

test("restored calendars are added beside the current ones, with the day in their names, also twice", async () => {
  const { copy, home } = await twoHomes();
  for (const time of ["first", "second"])
    expect([time, await placeCollections(copy, home, "2026-11-20")]).toEqual([time, 2]);
  const names = ["a b & c-restored-2026-11-20", "calendar", "calendar-restored-2026-11-20"];
  expect(readdirSync(home).toSorted()).toEqual(names);
  const titles = names.map((name) => titleOf(home, name));
  const mark = "(Restored 2026-11-20)";
  expect(titles).toEqual([`Work ${mark}`, "Calendar", `The "big" one ${mark}`]);
  expect(readFileSync(join(home, "calendar/a.ics"), "utf8")).toBe("home");
  expect(readFileSync(join(home, names[2]!, "a.ics"), "utf8")).toBe("copy");
});

test("restored calendars of a mailbox that has none keep their names", async () => {
  const { copy, home } = await twoHomes();
  const empty = join(home, "../other/new");
  await placeCollections(copy, empty, "2026-11-20");
  expect(readdirSync(empty).toSorted()).toEqual(["a b & c", "calendar"]);
  expect(titleOf(empty, "calendar")).toBe('The "big" one');
});

test("restored calendars replace the current ones, or are the first", async () => {
  const { copy, home } = await twoHomes();
  for (const to of [home, join(home, "../other/new")]) {
    await placeCollections(copy, to, null);
    expect(readdirSync(to).toSorted()).toEqual(["a b & c", "calendar"]);
    expect(titleOf(to, "calendar")).toBe('The "big" one');
    expect(readFileSync(join(to, "calendar/a.ics"), "utf8")).toBe("copy");
  }
  expect(await placeCollections(join(copy, "missing"), home, null)).toBe(0);
  expect(readdirSync(home)).toHaveLength(2);
});
