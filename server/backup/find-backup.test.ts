import { expect, test } from "vitest";

import { findRestorePoint, listRestorePoints } from "./find-backup.ts";
import type { Restic, Snapshot } from "./restic.ts";

const at = (minute: number) => `2026-11-20T00:${String(minute).padStart(2, "0")}:00Z`;

const snapshot = (tag: string, minute: number, stream: string | null): Snapshot => ({
  id: `${tag}-${minute}`,
  time: at(minute),
  tag,
  stream,
});

const backup = (minute: number, stream: string | null = null) => [
  snapshot("database", minute, stream),
  snapshot("files", minute, stream),
];

const changes = (minute: number, stream: string, tags = ["wal", "changes"]) =>
  tags.map((tag) => snapshot(tag, minute, stream));

const having = (...snapshots: Snapshot[][]) =>
  ({ list: () => Promise.resolve(snapshots.flat()) }) as Pick<Restic, "list"> as Restic;

const ids = async (engine: Restic) =>
  (await listRestorePoints(engine)).map(({ id, base, wal }) => [
    id,
    base.id,
    wal.map((each) => each.id).join(),
  ]);

test("a restore point has the WAL of its stream between its backup and itself", async () => {
  const engine = having(
    changes(1, "a"),
    backup(2, "a"),
    changes(3, "a"),
    changes(4, "a", ["wal"]),
    changes(5, "b"),
    changes(6, "a"),
    backup(7, "a"),
    changes(8, "a"),
  );
  expect(await ids(engine)).toEqual([
    ["files-2", "files-2", ""],
    ["changes-3", "files-2", "wal-3"],
    ["changes-6", "files-2", "wal-3,wal-4,wal-6"],
    ["files-7", "files-7", ""],
    ["changes-8", "files-7", "wal-8"],
  ]);
});

test("mail whose WAL was replaced by a later snapshot uses that one, and without any WAL it can't be restored", async () => {
  const engine = having(
    backup(1, "a"),
    changes(2, "a", ["changes"]),
    changes(3, "a", ["wal"]),
    changes(4, "a", ["changes"]),
  );
  expect(await ids(engine)).toEqual([
    ["files-1", "files-1", ""],
    ["changes-2", "files-1", "wal-3"],
  ]);
});

test("finds the last restore point before a time, and incomplete backups are none", async () => {
  const engine = having(backup(1, "a"), changes(3, "a"), [snapshot("database", 5, "a")]);
  expect((await findRestorePoint(engine, at(2))).id).toBe("files-1");
  expect((await findRestorePoint(engine, at(4))).id).toBe("changes-3");
  expect((await findRestorePoint(engine)).id).toBe("changes-3");
  await expect(findRestorePoint(engine, at(0))).rejects.toThrow("No backup matches");
});
