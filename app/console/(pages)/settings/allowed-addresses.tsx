"use client";

import { Button, Stack, Text, Textarea } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { problemOfField } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

import classes from "./allowed-addresses.module.css";
import { type CompanySettings, useChangeSettings } from "./queries.ts";

/** From where API keys work. A list that shuts somebody out is asked about first. */
export function AllowedAddresses({ settings }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const [asked, setAsked] = useState<string[] | null>(null);
  const kept = settings.allowed_addresses;

  function save(allowed_addresses: string[]) {
    change.mutate(
      { allowed_addresses },
      {
        onSuccess: () => toast("The allow-list was saved."),
        onSettled: () => setAsked(null),
      },
    );
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (change.isPending) return;
    const lines = linesOf(textOf(new FormData(event.currentTarget), "addresses"));
    const shutsOut = lines.length > 0 && kept.join() !== lines.join();
    if (shutsOut && settings.api_keys > 0) setAsked(lines);
    else save(lines);
  }

  const keys = settings.api_keys === 1 ? "1 API key" : `${settings.api_keys} API keys`;
  return (
    <Panel title="Where API keys work">
      <form onSubmit={handleSubmit} method="post">
        <Stack gap="md" maw={480}>
          <Textarea
            key={kept.join()}
            name="addresses"
            label="Allowed addresses"
            description="One IP address or CIDR range a line, such as 192.0.2.0/24. Empty lets keys work from everywhere. It does not concern signing in here."
            defaultValue={kept.join("\n")}
            rows={Math.min(12, Math.max(4, kept.length + 1))}
            classNames={{ input: classes.lines ?? "" }}
            spellCheck={false}
            autoCapitalize="off"
            error={problemOfField(change.error, "allowed_addresses", "")?.trim()}
          />
          <Text size="sm" c="dimmed">
            {settings.api_keys === 0 ? "There are no API keys yet." : `It applies to ${keys}.`}
          </Text>
          <div>
            <Button type="submit" aria-busy={change.isPending}>
              Save
            </Button>
          </div>
        </Stack>
      </form>
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title="Let API keys work from these addresses only?"
        verb="Save allow-list"
        isPending={change.isPending}
        error={null}
        onConfirm={() => asked && save(asked)}
      >
        {keys} will be refused from everywhere else, from the next call on. Make sure that all
        servers of yours are among{" "}
        {asked?.length === 1 ? "it" : `the ${asked?.length ?? 0} entries`}.
      </ConfirmDialog>
    </Panel>
  );
}

const linesOf = (text: string) =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);
