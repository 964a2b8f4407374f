import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

const COMPRESSED = /\.(js|css)$/;

/**
 * Writes a brotli and a gzip version next to every script and style sheet of a build, at the highest
 * compression level since it runs once a build. `server/web/static-files.ts` serves them.
 *
 * @param {string} folder the build's static files
 */
export async function compressStatic(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  await Promise.all(
    names.filter((name) => COMPRESSED.test(name)).map((name) => compress(join(folder, name))),
  );
}

/** @param {string} file */
async function compress(file) {
  const text = await readFile(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  await Promise.all([
    brotli(text, { params }).then((small) => writeFile(`${file}.br`, small)),
    zip(text, { level: constants.Z_BEST_COMPRESSION }).then((small) =>
      writeFile(`${file}.gz`, small),
    ),
  ]);
}
