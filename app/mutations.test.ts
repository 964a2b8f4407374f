import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { isSecret } from "#app/console/ui/form/drafts.ts";

// Every change goes through one of three layers, which show every error, keep what was typed and the button's label:
// `useForm` (or `ConfirmDialog`), `useAction`, and `useOptimisticUpdate`. Their own tests, and `e2e/form-errors.spec.ts`,
// prove that; here is what keeps a page from going around them.

const files = readdirSync(import.meta.dirname, { recursive: true })
  .map(String)
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts"))
  .map((file) => [file, readFileSync(join(import.meta.dirname, file), "utf8")] as const);

const filesWith = (pattern: RegExp) =>
  files.flatMap(([file, text]) => (pattern.test(text) ? [file] : [])).sort();

/** Work before React has hydrated the page, and show their only error themselves. */
const SIGN_IN = [
  "account/(auth)/sign-in/sign-in.tsx",
  "console/(auth)/sign-in/sign-in.tsx",
  "console/second-factors/second-factor-step.tsx",
  "console/sign-in-again-dialog.tsx",
];

test("a mutation is started by the layers, which report its errors", () => {
  expect(filesWith(/\.mutate\(|\bmutate\b[^A-Za-z(:]*\}/)).toEqual(
    [
      ...SIGN_IN,
      // Continues after signing in, and shows the error.
      "account/sign-in-again-dialog.tsx",
      // Open the identity provider's page, and show their error above the button.
      "console/single-sign-on/buttons.tsx",
      // Runs when the page opens, which shows its error.
      "console/single-sign-on/provider-sign-in.tsx",
      // Also runs automatically; the page shows the errors of checks on request.
      "console/(pages)/domains/[id]/domain-set-up.tsx",
      // Tests of a connection, which show their error below the button.
      "console/(pages)/mailboxes/import-mail/new/new-import.tsx",
      "console/(pages)/settings/single-sign-on/provider-form.tsx",
      // The form for the columns shows the error.
      "console/(pages)/mailboxes/import/import-mailboxes.tsx",
      "console/ui/form/use-form.ts",
    ].sort(),
  );
});

test("forms are made with `Form`, except those that change nothing or ask to sign in", () => {
  expect(filesWith(/<form\b/)).toEqual(
    [
      ...SIGN_IN,
      // Open a dialog, a page or the next step.
      "account/(public)/connect/connect.tsx",
      "console/(pages)/mailboxes/bulk-actions/bulk-action-dialog.tsx",
      "console/(pages)/mailboxes/import/import-input.tsx",
      "console/(pages)/mailboxes/route/mail-route.tsx",
      "console/(pages)/team/privileges.tsx",
      "console/ui/email-frame.tsx",
      // Ask before they save.
      "console/(pages)/settings/allowed-addresses.tsx",
      "console/ui/dialog.tsx",
      "console/ui/form/form.tsx",
    ].sort(),
  );
});

test("pending buttons keep their label: `aria-busy`, not `loading`", () => {
  expect(filesWith(/<(Button|ActionIcon|SubmitButton)\b[^>]*\sloading\b/)).toEqual([]);
});

test("messages of errors are made readable before they are shown", () => {
  // `error.message` alone is "Failed to fetch" without a connection.
  expect(filesWith(/\b(toast\(|role="alert"|Text\b).{0,80}error\??\.message/s)).toEqual([]);
});

test("drafts never contain what is typed into password fields", () => {
  const names = files.flatMap(([, text]) =>
    [...text.matchAll(/<PasswordInput\b[^>]*?\.field\("(\w+)"\)/g)].map(([, name]) => name!),
  );
  expect(names).toContain("clientSecret");
  expect(names.filter((name) => !isSecret(name))).toEqual([]);
});

describe("secrets in mutations", () => {
  test("aren't kept once the component is gone", () => {
    expect(filesWith(/new QueryClient\(/)).toEqual(["console/providers.tsx"]);
    const [, providers] = files.find(([file]) => file === "console/providers.tsx")!;
    expect(providers).toMatch(/mutations: \{[^}]*gcTime: 0\b/);
  });

  test("no mutation is kept for longer", () => {
    const longer = files.filter(([, text]) => /useMutation\(\{[^;]*gcTime:/.test(text));
    expect(longer.map(([file]) => file)).toEqual([]);
  });
});
