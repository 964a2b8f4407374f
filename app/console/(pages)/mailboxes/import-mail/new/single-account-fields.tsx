import { NativeSelect, PasswordInput, TextInput } from "@mantine/core";

import type { ImportServer } from "#app/console/(pages)/mailboxes/import-mail/queries.ts";

import type { ImportForm } from "./import-values.ts";

const KINDS = [
  { value: "password", label: "Password" },
  { value: "oauth", label: "OAuth access token" },
];

export function SingleAccountFields({ form }: { form: ImportForm }) {
  const { secretKind: kind } = form.values;
  return (
    <>
      <TextInput
        {...form.field("account")}
        description="The user name on the old server, usually the email address."
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <NativeSelect
        size="md"
        label="Sign in with"
        data={KINDS}
        value={kind}
        onChange={(event) =>
          form.set("secretKind", event.currentTarget.value as ImportServer["secretKind"])
        }
      />
      <PasswordInput
        {...form.field("secret")}
        label={kind === "oauth" ? "Access token" : "Password"}
        autoComplete="off"
      />
      <TextInput
        {...form.field("mailbox")}
        description="The mailbox to import the mail into."
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
    </>
  );
}
