import type { TemplateVariable, TemplateVersion } from "#drizzle/schema/index.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { readOneLine } from "#server/core/shared/one-line.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { VARIABLE_USES_MAX, VARIABLES_MAX } from "#server/core/sending/templates/limits.ts";
import {
  isReserved,
  parseText,
  usedVariables,
  VARIABLE_KEY,
} from "#server/core/sending/templates/variables.ts";

export type TemplateContent = Pick<
  TemplateVersion,
  "subject" | "from" | "replyTo" | "html" | "text"
>;

/** A variable as it is declared. */
export type DeclaredVariable = Pick<TemplateVariable, "key" | "type" | "fallbackValue">;

const NAME_MAX = 100;
const ALIAS = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** @throws Refusal `invalid` */
export const readName = (name: string) => readOneLine(name, "name", { max: NAME_MAX });

/** @throws Refusal `invalid` */
export function readAlias(alias: string | null): string | null {
  if (alias === null || (ALIAS.test(alias) && !isUuid(alias))) return alias;
  throw new Refusal(
    "invalid",
    isUuid(alias)
      ? "alias: must not look like an ID"
      : "alias: must be 1 to 100 letters, digits, dots, dashes or underscores, starting with a letter or digit",
  );
}

/**
 * Checks a template's variables, and that all variables of its content are declared.
 *
 * @param before the variables so far: unchanged ones keep their times
 * @throws Refusal `invalid`
 */
export function readVariables(
  declared: readonly DeclaredVariable[],
  content: TemplateContent,
  before: readonly TemplateVariable[] = [],
): TemplateVariable[] {
  const { variables } = readFields({ variables: () => checkDeclared(declared) });
  const keys = new Set(variables.map(({ key }) => key));
  let uses = 0;
  for (const field of ["subject", "html", "text"] as const)
    for (const key of usedVariables(parseText(content[field] ?? ""))) {
      if (!keys.has(key))
        throw new Refusal(
          "invalid",
          isReserved(key)
            ? `Variable '${key}' is reserved and can't be used in a template`
            : `Variable '${key}' is used in the template but not defined in the variables list`,
          { field },
        );
      if (++uses > VARIABLE_USES_MAX)
        throw new Refusal(
          "invalid",
          `A template can use variables at most ${VARIABLE_USES_MAX} times`,
          { field },
        );
    }
  // As Postgres prints times.
  const now = new Date().toISOString().replace("T", " ").replace("Z", "+00");
  return variables.map(({ key, type, fallbackValue }) => {
    const old = before.find((each) => each.key === key);
    const isSame = old?.type === type && old.fallbackValue === fallbackValue;
    return {
      ...{ key, type, fallbackValue },
      createdAt: old?.createdAt ?? now,
      updatedAt: isSame ? old.updatedAt : now,
    };
  });
}

function checkDeclared(declared: readonly DeclaredVariable[]): readonly DeclaredVariable[] {
  if (declared.length > VARIABLES_MAX)
    throw new Refusal("invalid", `variables: must have at most ${VARIABLES_MAX} entries`);
  const seen = new Set<string>();
  for (const [at, { key, type, fallbackValue }] of declared.entries()) {
    const invalid = (problem: string) => new Refusal("invalid", `variables[${at}].${problem}`);
    if (!VARIABLE_KEY.test(key))
      throw invalid("key: must be 1 to 50 letters, digits or underscores");
    if (isReserved(key)) throw invalid(`key: '${key}' is reserved`);
    if (seen.has(key)) throw invalid(`key: '${key}' is defined twice`);
    if (fallbackValue !== null && typeof fallbackValue !== type)
      throw invalid(`fallback_value: must be a ${type}`);
    seen.add(key);
  }
  return declared;
}
