import { pluralize } from "#app/console/ui/format.ts";
import { Button, Stack, Text, Textarea } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { fieldError, FormError } from "#app/console/ui/errors.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { formText } from "#app/console/ui/form/form-text.ts";
import { toast } from "#app/console/ui/actions.tsx";

import { type CompanySettings, useChangeSettings } from "./queries.ts";

/** The IP allow-list for API keys. Asks for confirmation before restricting keys that are in use. */
export function AllowedAddresses({ settings }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const [unconfirmed, setUnconfirmed] = useState<string[] | null>(null);
  const current = settings.allowedAddresses;

  async function save(allowedAddresses: string[]) {
    await change.run({ body: { allowedAddresses } });
    toast("Allow-list saved");
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (change.isPending) return;
    const lines = linesOf(formText(new FormData(event.currentTarget), "allowedAddresses"));
    const isRestriction = lines.length > 0 && current.join() !== lines.join();
    if (isRestriction && settings.apiKeys > 0) setUnconfirmed(lines);
    else save(lines).catch(() => {});
  }

  const problem = fieldError(change.error, "allowedAddresses", "");
  const keys = pluralize(settings.apiKeys, "API key");
  return (
    <Panel title="IP allow-list for API keys">
      <form onSubmit={handleSubmit} method="post">
        <Stack gap="md" maw={480}>
          <Textarea
            key={current.join()}
            name="allowedAddresses"
            label="Allowed IP addresses"
            description="One IP address or CIDR range per line, such as 192.0.2.0/24. Leave empty to allow API keys from anywhere. Doesn’t affect sign-in to the console."
            defaultValue={current.join("\n")}
            rows={Math.min(12, Math.max(4, current.length + 1))}
            styles={{ input: MONOSPACE }}
            spellCheck={false}
            autoCapitalize="off"
            error={problem?.trim()}
          />
          <Text size="sm" c="dimmed">
            {settings.apiKeys === 0 ? "Your company has no API keys yet." : `Applies to ${keys}.`}
          </Text>
          {problem === null && <FormError error={change.error} />}
          <div>
            <Button type="submit" aria-busy={change.isPending}>
              Save allow-list
            </Button>
          </div>
        </Stack>
      </form>
      <ConfirmDialog
        isOpen={unconfirmed !== null}
        onClose={() => setUnconfirmed(null)}
        title="Restrict API keys to these addresses?"
        confirmLabel="Save allow-list"
        // The form shows errors, most of which are about its field.
        onConfirm={() => save(unconfirmed!).catch(() => {})}
      >
        {keys} will stop working from all other addresses immediately. Make sure that the list
        includes all your servers.
      </ConfirmDialog>
    </Panel>
  );
}

const MONOSPACE = {
  fontFamily: "var(--mantine-font-family-monospace)",
  fontSize: "var(--mantine-font-size-sm)",
};

const linesOf = (text: string) =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);
