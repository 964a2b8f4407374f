"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { displayName } from "#app/console/(pages)/team/admin-text.ts";
import {
  type AdminDetail,
  type MailboxPrivilegesAnswer,
  mailboxPrivilegesQuery,
} from "#app/console/(pages)/team/queries.ts";
import { ConsoleError } from "#app/console/console-client.ts";
import { FormError } from "#app/console/ui/errors.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { formText } from "#app/console/ui/form/use-form.ts";

import { PrivilegeTable } from "./admin-privileges.tsx";

/** Looks up privileges for one mailbox, which depend on its unit. */
export function MailboxPrivileges({ admin }: { admin: AdminDetail }) {
  const [mailbox, setMailbox] = useState("");
  const lookup = useQuery(mailboxPrivilegesQuery(admin.id, mailbox));
  const isUnknown = lookup.error instanceof ConsoleError && lookup.error.status === 404;

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const typed = formText(new FormData(event.currentTarget), "mailbox").trim();
    if (typed === mailbox && typed !== "") void lookup.refetch();
    setMailbox(typed);
  }

  return (
    <Panel title="Privileges for a mailbox">
      <Stack gap="md">
        <form onSubmit={handleSubmit} method="post" noValidate>
          <Group align="flex-start" gap="xs">
            <TextInput
              name="mailbox"
              size="sm"
              flex="1 1 220px"
              aria-label="Mailbox"
              placeholder="Mailbox address"
              type="email"
              autoComplete="off"
              error={isUnknown && "This mailbox doesn’t exist, or you don’t have access to it"}
            />
            <Button type="submit" variant="default" aria-busy={lookup.isFetching}>
              Check privileges
            </Button>
          </Group>
        </form>
        {!isUnknown && <FormError error={lookup.error} />}
        {lookup.data && (
          <div role="status">
            <Text mb="xs">
              Privileges of {displayName(admin)} for {lookup.data.mailbox}, in the unit{" "}
              {lookup.data.units.toReversed().join(" › ")}:
            </Text>
            <PrivilegeTable
              label={`Privileges for ${lookup.data.mailbox}`}
              privileges={flattenUnits(lookup.data)}
            />
          </div>
        )}
      </Stack>
    </Panel>
  );
}

/** Shows a unit's role as a full grant: the mailbox is in that unit, so there is no "partly". */
const flattenUnits = ({
  privileges,
}: MailboxPrivilegesAnswer): MailboxPrivilegesAnswer["privileges"] =>
  privileges.map(({ privilege, through }) => ({
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
