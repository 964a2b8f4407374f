import {
  chmodSync,
  chownSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";

type Kept = { text: Buffer; mode: number; uid: number; gid: number };

/** Remembers small files that are about to be replaced. Those that don't exist are not remembered. */
export function keepFiles(files: string[]): { has(file: string): boolean; putBack(): void } {
  const kept = new Map<string, Kept>();
  for (const file of files) {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isFile())
      kept.set(file, {
        text: readFileSync(file),
        mode: found.mode,
        uid: found.uid,
        gid: found.gid,
      });
  }
  return {
    has: (file) => kept.has(file),
    putBack() {
      for (const [file, { text, mode, uid, gid }] of kept) {
        const draft = `${file}.new`;
        rmSync(draft, { force: true });
        writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
        chownSync(draft, uid, gid);
        chmodSync(draft, mode & 0o777);
        renameSync(draft, file);
      }
    },
  };
}
