import { Group, NativeSelect, Text, TextInput } from "@mantine/core";

import type { ImportServer } from "#app/console/(pages)/mailboxes/import-mail/queries.ts";

import type { ImportForm } from "./import-values.ts";

const SECURITIES = [
  { value: "tls", label: "TLS" },
  { value: "starttls", label: "STARTTLS" },
  { value: "none", label: "None" },
];
/** The usual ports. */
const PORTS: Record<ImportServer["security"], string> = {
  tls: "993",
  starttls: "143",
  none: "143",
};

export function ServerFields({ form }: { form: ImportForm }) {
  const { values } = form;
  return (
    <>
      <TextInput
        {...form.field("host")}
        placeholder="imap.example.com"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <Group gap="md" align="start" grow>
        <NativeSelect
          size="md"
          label="Security"
          data={SECURITIES}
          value={values.security}
          onChange={(event) => {
            const security = event.currentTarget.value as ImportServer["security"];
            if (values.port === PORTS[values.security]) form.set("port", PORTS[security]);
            form.set("security", security);
          }}
        />
        <TextInput {...form.field("port")} inputMode="numeric" autoComplete="off" />
      </Group>
      {values.security === "none" && (
        <Text role="status" c="var(--mantine-color-error)">
          Passwords and mail are sent unencrypted. Anyone on the network path can read them.
        </Text>
      )}
    </>
  );
}
