import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

const APP = join(import.meta.dirname, "..");
const SHEETS = join(dirname(createRequire(import.meta.url).resolve("@mantine/core")), "../styles");
const IMPORT = /import\s+\{([^}]*)\}\s+from "@mantine\/core"/g;

test("loads the style sheet of every Mantine component that pages use", () => {
  const styles = readFileSync(join(import.meta.dirname, "styles.ts"), "utf8");
  const used = readdirSync(APP, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx"))
    .flatMap((file) => [...readFileSync(join(APP, file), "utf8").matchAll(IMPORT)])
    .flatMap(([, names]) => names!.split(",").map((name) => name.trim()));
  const missing = [...new Set(used)].filter(
    (name) =>
      existsSync(join(SHEETS, `${name}.css`)) && !styles.includes(`styles/${name}.layer.css"`),
  );
  expect(used).toContain("Checkbox");
  expect(missing).toEqual([]);
});
