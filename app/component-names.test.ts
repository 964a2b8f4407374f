import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

test("every component name in app/ is declared once", () => {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "app"], {
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file.endsWith(".tsx") && existsSync(file));
  const declarations = files.flatMap((file) =>
    declaredComponents(readFileSync(file, "utf8")).map((name) => ({ name, file })),
  );
  expect(declarations.length).toBeGreaterThan(500);

  const duplicates = [...Map.groupBy(declarations, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(", ")}`);
  expect(duplicates).toEqual([]);
});

function declaredComponents(source: string): string[] {
  return [...source.matchAll(/^(?:export )?(?:default )?(?:async )?function ([A-Z]\w*)/gm)].map(
    ([, name]) => name!,
  );
}
