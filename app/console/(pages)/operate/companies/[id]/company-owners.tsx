"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import {
  type CompanyDetail,
  useInviteOwner,
} from "#app/console/(pages)/operate/companies/queries.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { SecretDialog } from "#app/console/ui/secret-dialog.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import classes from "./company.module.css";

/** The owners, and a form to invite another one, such as when no owner can sign in anymore. */
export function CompanyOwners({ company }: { company: CompanyDetail }) {
  const invitation = useInviteOwner(company.id);
  const problem = fieldError(invitation.error, "email", "Email address");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    invitation.mutate({ email: formText(new FormData(event.currentTarget), "email") });
  }

  return (
    <Panel title="Owners">
      <ul className={classes.people}>
        {company.owners.map(({ email, name }) => (
          <li key={email}>
            {name ? `${name}, ` : ""}
            {email}
          </li>
        ))}
        {company.invited_owners.map(({ email, expires_at }) => (
          <li key={email}>
            {email} <Status tone="waiting" label="Invited" />{" "}
            <Text component="span" size="sm" c="dimmed">
              expires <RelativeTime at={expires_at} />
            </Text>
          </li>
        ))}
        {company.owners.length + company.invited_owners.length === 0 && (
          <li>No owners. Invite one.</li>
        )}
      </ul>
      <form onSubmit={handleSubmit} method="post" noValidate>
        <Stack gap="xs" maw={480}>
          <Group gap="xs" align="flex-end">
            <TextInput
              name="email"
              label="Email address"
              type="email"
              autoComplete="off"
              error={problem}
              flex={1}
              miw={220}
            />
            <Button type="submit" variant="default" aria-busy={invitation.isPending}>
              Invite owner
            </Button>
          </Group>
          {!problem && <FormError error={invitation.error} />}
        </Stack>
      </form>
      {invitation.data && (
        <SecretDialog
          title="Invitation sent"
          secret={invitation.data.link}
          fileName="posthouse-invitation.txt"
          onStored={() => invitation.reset()}
        >
          <Text>
            We emailed the owner a link that expires in seven days. If it doesn’t arrive, send them
            this link yourself. Anyone with it can become an owner. You won’t be able to see it
            again, and a new invitation invalidates it.
          </Text>
        </SecretDialog>
      )}
    </Panel>
  );
}
