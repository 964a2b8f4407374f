"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { displayName } from "#app/console/(pages)/team/admin-text.ts";
import { type AdminDetail, useMailboxPrivileges } from "#app/console/(pages)/team/queries.ts";
import { ConsoleError } from "#app/console/console-client.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

import { PrivilegeTable } from "./admin-privileges.tsx";

/** What this person may do to one mailbox: roles for a unit make it a question. */
export function MailboxPrivileges({ person }: { person: AdminDetail }) {
  const ask = useMailboxPrivileges(person.id);
  const isUnknown = ask.error instanceof ConsoleError && ask.error.status === 404;

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const mailbox = textOf(new FormData(event.currentTarget), "mailbox").trim();
    if (mailbox) ask.mutate(mailbox);
  }

  return (
    <Panel title="And with one mailbox?">
      <Stack gap="md">
        <form onSubmit={handleSubmit} method="post" noValidate>
          <Group align="flex-start" gap="xs">
            <TextInput
              name="mailbox"
              size="sm"
              flex="1 1 220px"
              aria-label="Mailbox"
              placeholder="Address of the mailbox"
              type="email"
              autoComplete="off"
              error={isUnknown && "Your company has no such mailbox, or you may not see it"}
            />
            <Button type="submit" variant="default" data-loading={ask.isPending || undefined}>
              Ask
            </Button>
          </Group>
        </form>
        {!isUnknown && <FormProblem error={ask.error} />}
        {ask.data && (
          <div role="status">
            <Text mb="xs">
              {displayName(person)} and {ask.data.mailbox}, which is in{" "}
              {ask.data.units.toReversed().join(" › ")}:
            </Text>
            <PrivilegeTable
              label={`Rights to ${ask.data.mailbox}`}
              rights={flattenUnits(ask.data)}
            />
          </div>
        )}
      </Stack>
    </Panel>
  );
}

type MailboxPrivilegesResponse = NonNullable<ReturnType<typeof useMailboxPrivileges>["data"]>;

/** About one mailbox the answer is yes or no: a role for its unit counts in full. */
const flattenUnits = ({ rights }: MailboxPrivilegesResponse): MailboxPrivilegesResponse["rights"] =>
  rights.map(({ privilege, through }) => ({
    privilege,
    through: through.map((source) =>
      source.kind === "role" && source.role.unit
        ? {
            kind: "role",
            role: {
              ...source.role,
              name: `${source.role.name} (${source.role.unit.name})`,
              unit: null,
            },
          }
        : source,
    ),
  }));
