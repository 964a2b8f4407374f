import { expect, test } from "vitest";

import { ConsoleError } from "#app/console/console-client.ts";
import { isShownAtFields } from "#app/console/ui/form/field-errors.ts";

import { atFields, IMPORT_LABELS, INITIAL, type Values } from "./import-values.ts";

/** Where the form shows an error about a field of the request. */
function shown(path: string, message: string, values: Partial<Values>) {
  const given = { status: 422, headers: new Headers() };
  const error = new ConsoleError("invalid", message, given, [{ path, code: "invalid", message }]);
  const { fields } = atFields(error, { ...INITIAL, ...values });
  if (!isShownAtFields(error, IMPORT_LABELS)) return "below the form";
  return `${fields[0]!.path}: ${fields[0]!.message}`;
}

const REJECTED = "The server rejected the password.";

test("errors of a test of the connection are at fields that the form shows", () => {
  expect(shown("secret", REJECTED, {})).toBe(`secret: ${REJECTED}`);
  expect(shown("host", "It didn’t respond.", {})).toBe("host: It didn’t respond.");
  for (const scope of ["one", "list"] as const) {
    const google = { scope, secretKind: "google" } as const;
    expect(shown("secret", REJECTED, google)).toBe(`serviceKey: ${REJECTED}`);
    expect(shown("secret", REJECTED, { scope, secretKind: "microsoft" })).toBe(
      `clientSecret: ${REJECTED}`,
    );
    expect(shown("host", "It didn’t respond.", google)).toBe("below the form");
  }
  expect(shown("account", "must be on one line", { secretKind: "google" })).toBe(
    "account: must be on one line",
  );
});

test("errors about accounts of a list name the line", () => {
  const list = { scope: "list" } as const;
  expect(shown("secret", REJECTED, list)).toBe(`list: Line 2: ${REJECTED}`);
  expect(shown("accounts[3].account", "must be on one line", list)).toBe(
    "list: Line 5: the account must be on one line.",
  );
  expect(shown("host", "It didn’t respond.", list)).toBe("host: It didn’t respond.");
});
