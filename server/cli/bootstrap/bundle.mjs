// cspell:ignore oslojs elementtype
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { filesOf, readIfThere, stampOf } from "./fingerprint.mjs";
import { inRoot, ROOT } from "./paths.mjs";

/** The programs and threads that start often. The others run from their sources. */
const PROGRAMS = [
  "server/main.ts",
  "worker/main.ts",
  "worker/imports/main.ts",
  "mail/main.ts",
  "server/cli/posthouse.ts",
  "server/cli/health-check.ts",
  "server/cli/start/startup-tasks/task-process.ts",
  "server/http/body-worker.ts",
  "server/core/sending/compose/internal/text-from-html-worker.ts",
  "server/core/mail/incoming/internal/reader-worker.ts",
  "server/core/mail/received/internal/parser-worker.ts",
  "server/core/mail/submission/internal/content-worker.ts",
  "server/core/mail/authentication/internal/verifier-worker.ts",
];
const FOLDER = "dist";
const STAMP = "sources";
const SOURCES = ["server", "worker", "mail", "drizzle/schema", "package.json", "package-lock.json"];
/**
 * Packages that become part of the bundles: drizzle-orm, because Node would parse its 180 kB package.json once for each
 * file that imports it, packages that import drizzle-orm, and those with many files. This halves the CPU time of a start, and
 * saves 3 MB in each process.
 */
const BUNDLED_PACKAGES =
  /^(drizzle-orm|@lucia-auth\/adapter-drizzle|lucia|@oslojs\/[a-z]+|zod|temporal-(polyfill|utils)|htmlparser2|entities|dom(utils|handler|elementtype|-serializer))(\/|$)/;
/** Plain JavaScript that also runs before anything is built; it stays as it is. */
const PATHS_MODULE = "#server/cli/bootstrap/paths.mjs";

/**
 * Hash of source sizes and modification times. Hashing contents would cost the time that bundling saves.
 *
 * @param {string} root
 */
function sourcesStamp(root) {
  const tests = join(root, "server/testing/");
  const files = SOURCES.flatMap((path) => filesOf(join(root, path)));
  return stampOf(
    root,
    files.filter((file) => !/\.test\.ts$/.test(file) && !file.startsWith(tests)),
  );
}

/** Whether the bundles were made from the current sources. Those of an image have no stamp, as its sources don't change. */
export function bundlesAreFresh(root = ROOT) {
  if (!existsSync(join(root, FOLDER))) return false;
  const stamp = readIfThere(join(root, FOLDER, STAMP));
  return stamp === null || stamp === sourcesStamp(root);
}

/** @param {string} program a source, from the root. Its bundle */
export const bundleOf = (program) => inRoot(join(FOLDER, program.replace(/\.ts$/, ".js")));

/** Bundles the programs if their sources have changed. Returns a description of what it did. */
export async function ensureBundles() {
  if (bundlesAreFresh()) return "up to date";
  await bundle();
  return "bundled";
}

/**
 * Bundles the programs, so that each loads a few files instead of a thousand: a third of the CPU time. Other packages
 * stay outside.
 */
async function bundle() {
  const { build, stop } = await import("esbuild");
  const stamp = sourcesStamp(ROOT);
  const [draft, previous] = [inRoot(`${FOLDER}.${process.pid}`), inRoot(`${FOLDER}.old`)];
  await build({
    entryPoints: PROGRAMS,
    absWorkingDir: ROOT,
    outbase: ROOT,
    outdir: draft,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    packages: "external",
    chunkNames: "chunks/[name]-[hash]",
    minifyWhitespace: true,
    lineLimit: 200,
    define: { "import.meta.isBundled": "true" },
    plugins: [bundlePackages, keepFolders],
    logLevel: "error",
  });
  // Its helper process would live on beside the appliance that `npm start` runs.
  await stop();
  writeFileSync(join(draft, STAMP), stamp);
  rmSync(previous, { recursive: true, force: true });
  if (existsSync(inRoot(FOLDER))) renameSync(inRoot(FOLDER), previous);
  renameSync(draft, inRoot(FOLDER));
  rmSync(previous, { recursive: true, force: true });
}

/**
 * Sources find the files beside them by `import.meta.dirname`, which must stay the source's folder in a bundle.
 *
 * @type {import("esbuild").Plugin}
 */
const keepFolders = {
  name: "keep-folders",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\/paths\.mjs$/ }, () => ({ path: PATHS_MODULE, external: true }));
    onLoad({ filter: /\.(ts|mjs)$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const file = relative(ROOT, path);
      if (/import\.meta\.(url|filename)/.test(source))
        throw new Error(`${file}: only import.meta.dirname keeps its value in a bundle`);
      const loader = path.endsWith(".ts") ? "ts" : "js";
      if (!source.includes("import.meta.dirname")) return { contents: source, loader };
      const folder = `inRootFolder(${JSON.stringify(dirname(file))})`;
      return {
        contents: `import { inRoot as inRootFolder } from "${PATHS_MODULE}";\n${source.replaceAll("import.meta.dirname", folder)}`,
        loader,
      };
    });
  },
};

/** @type {import("esbuild").Plugin} */
const bundlePackages = {
  name: "bundle-packages",
  setup({ onLoad, onResolve }) {
    // Of messages in 50 languages, only the English ones are used.
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
    onResolve({ filter: BUNDLED_PACKAGES }, ({ path, importer }) => ({
      path: fileURLToPath(import.meta.resolve(path, pathToFileURL(importer))),
    }));
  },
};

if (import.meta.main) await bundle();
