"use client";

import { Group, Text, TextInput } from "@mantine/core";

import {
  type CompanyDetail,
  useInviteOwner,
} from "#app/console/(pages)/operate/companies/queries.ts";
import { isEmail } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { SecretDialog } from "#app/console/ui/dialog.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./company.module.css";

/** The owners, and a form to invite another one, such as when no owner can sign in anymore. */
export function CompanyOwners({ company }: { company: CompanyDetail }) {
  const invitation = useInviteOwner(company.id);
  const form = useForm({
    initialValues: { email: "" },
    labels: { email: "Email address" },
    checks: { email: isEmail },
    draft: `owner-${company.id}`,
    send: invitation.mutateAsync,
    clearsOnDone: true,
  });

  return (
    <Panel title="Owners">
      <ul className={classes.people}>
        {company.owners.map(({ email, name }) => (
          <li key={email}>
            {name ? `${name}, ` : ""}
            {email}
          </li>
        ))}
        {company.invitedOwners.map(({ email, expiresAt }) => (
          <li key={email}>
            {email} <Status tone="waiting" label="Invited" />{" "}
            <Text component="span" size="sm" c="dimmed">
              expires <RelativeTime at={expiresAt} />
            </Text>
          </li>
        ))}
        {company.owners.length + company.invitedOwners.length === 0 && (
          <li>No owners. Invite one.</li>
        )}
      </ul>
      <Form form={form} gap="xs" maxWidth={480} actions={null}>
        <Group gap="xs" align="flex-end">
          <TextInput {...form.field("email")} type="email" autoComplete="off" flex={1} miw={220} />
          <SubmitButton form={form} variant="default">
            Invite owner
          </SubmitButton>
        </Group>
      </Form>
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
