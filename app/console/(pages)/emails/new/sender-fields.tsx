import { NativeSelect, TextInput } from "@mantine/core";

import type { EmailChoices } from "#app/console/(pages)/emails/queries.ts";

import type { ComposeFields } from "./compose-fields.ts";
import classes from "./compose-form.module.css";

export function SenderFields({
  form,
  domains,
}: {
  form: ComposeFields;
  domains: EmailChoices["domains"];
}) {
  const senderError = form.errors["from"];
  return (
    <div className={classes.sender}>
      <TextInput {...form.field("name")} placeholder="Optional" maxLength={100} />
      <TextInput
        {...form.field("local")}
        {...(senderError && { error: senderError })}
        autoCapitalize="off"
        autoComplete="off"
        spellCheck={false}
      />
      <NativeSelect
        {...form.field("domain")}
        size="md"
        data={domains.map(({ name, maySend }) => ({
          value: name,
          label: maySend ? `@${name}` : `@${name} (not verified)`,
        }))}
      />
    </div>
  );
}
