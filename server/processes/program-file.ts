import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** The file that runs a program: its bundle (`bundle.mjs`) if this process runs from one, otherwise the source itself. */
export const programFile = (source: string): string =>
  (import.meta as { isBundled?: boolean }).isBundled
    ? join(ROOT, "dist", source.replace(/\.ts$/, ".js"))
    : join(ROOT, source);
