import { expect, test } from "vitest";

import { encodeFolder } from "#server/gateways/dovecot-imap.ts";

import { mapFolders, type SourceFolder } from "./map-folders.ts";

const PLAIN: { prefix: string; shared: string[] } = { prefix: "", shared: [] };

function aFolder(
  path: string,
  { separator = "/", ...overrides }: Partial<SourceFolder> & { separator?: string } = {},
): SourceFolder {
  const parts = path.split(separator);
  const name = parts.pop()!;
  return { path, parent: parts, name, flags: new Set(), subscribed: true, ...overrides };
}

const targets = (folders: SourceFolder[], namespaces = PLAIN) =>
  mapFolders(folders, namespaces).map(({ target }) => target);

test("maps folders for a special use, and those below them", () => {
  expect(
    targets([
      aFolder("Inbox"),
      aFolder("Envoyés", { specialUse: "\\Sent" }),
      aFolder("Envoyés/2024"),
      aFolder("Sent"),
      aFolder("Corbeille", { specialUse: "\\Trash" }),
      aFolder("Projects"),
      aFolder("Projects/A", { flags: new Set(["\\Noselect"]) }),
      aFolder("Projects/A/B"),
    ]),
  ).toEqual(["INBOX", "Sent", "Sent/2024", "Sent", "Trash", "Projects", "Projects/A/B"]);
});

test("removes the prefix of servers whose folders are below the inbox", () => {
  const separator = ".";
  expect(
    targets(
      [
        aFolder("INBOX", { separator }),
        aFolder("INBOX.Sent", { separator, specialUse: "\\Sent" }),
        aFolder("INBOX.Old.Mail", { separator }),
        aFolder("shared.info", { separator }),
      ],
      { prefix: "INBOX.", shared: ["shared."] },
    ),
  ).toEqual(["INBOX", "Sent", "Old/Mail"]);
  expect(targets([aFolder("INBOX"), aFolder("INBOX/Old")])).toEqual(["INBOX", "INBOX/Old"]);
});

test("imports of Gmail what no label shows, after the labels", () => {
  const mapped = mapFolders(
    [
      aFolder("INBOX"),
      aFolder("[Gmail]", { flags: new Set(["\\Noselect"]) }),
      aFolder("[Gmail]/All Mail", { specialUse: "\\All" }),
      aFolder("[Gmail]/Important", { flags: new Set(["\\Important"]) }),
      aFolder("[Gmail]/Starred", { specialUse: "\\Flagged" }),
      aFolder("[Gmail]/Sent Mail", { specialUse: "\\Sent" }),
      aFolder("Receipts"),
    ],
    PLAIN,
  );
  expect(mapped.map(({ source, target, isRest }) => [source, target, isRest])).toEqual([
    ["INBOX", "INBOX", false],
    ["[Gmail]/All Mail", "Archive", true],
    ["[Gmail]/Sent Mail", "Sent", false],
    ["Receipts", "Receipts", false],
  ]);
});

test("changes names that Dovecot doesn't accept, and keeps them apart", () => {
  const separator = ".";
  const deep = Array.from({ length: 20 }, (_, at) => `Level ${at}`).join(separator);
  const [slash, underscore, dots, home, long, below, ...rest] = targets([
    aFolder("A/B", { separator }),
    aFolder("A_B", { separator }),
    { ...aFolder(".."), parent: [], name: ".." },
    aFolder("~root", { separator }),
    aFolder("ä".repeat(300), { separator }),
    aFolder(deep, { separator }),
    aFolder("line\nbreak", { separator }),
  ]);
  expect([slash, underscore, dots, home, ...rest]).toEqual([
    "A_B",
    "A_B (2)",
    "_..",
    "_root",
    "line_break",
  ]);
  expect(encodeFolder(long!).length).toBeLessThanOrEqual(255);
  expect(below!.split("/")).toHaveLength(16);
  expect(below).toMatch(/Level 15_Level 16_Level 17_Level 18_Level 19$/);
});

test.each(["a", "&", "ü", "ж", "文", "😀", "ж&", "aж"])(
  "shortens long names of %s to what Dovecot stores, and keeps them apart",
  (letters) => {
    const name = letters.repeat(300);
    const path = `${name}/${name}/${name}/${name}/${name}/x`;
    const [first, second, ...deep] = targets([
      aFolder(name, { separator: "|" }),
      aFolder(`${name}!`, { separator: "|" }),
      aFolder(path),
      aFolder(`${path}y`),
    ]);
    for (const target of [first, second, ...deep])
      for (const level of target!.split("/")) {
        expect(encodeFolder(level).length).toBeLessThanOrEqual(255);
        expect(level.isWellFormed()).toBe(true);
      }
    expect(second).toBe(`${first} (2)`);
    expect(new Set(deep).size).toBe(2);
    expect(deep.every((target) => encodeFolder(target).length <= 1_010)).toBe(true);
  },
);
