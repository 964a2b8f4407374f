import { Group, Skeleton, Stack, Text, Title } from "@mantine/core";

import { useRead } from "#app/console/endpoint-queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionList } from "#app/console/ui/details.tsx";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { ProviderActions, ProviderForm } from "./provider-form.tsx";
import { type ConnectedProvider, type ProviderUse, useUpdateProvider } from "./queries.ts";

/** The company's identity provider. Admins who manage settings see it; only owners can change it. */
export function SingleSignOn() {
  const query = useRead("singleSignOn.get", {});
  const { isOwner } = usePrivileges();
  return (
    <Panel title="Single sign-on" aside={query.data && <ProviderStatus {...query.data} />}>
      <QueryView query={query} noun="single sign-on" skeleton={<Skeleton height={120} />}>
        {({ provider, mailboxes, redirectUrl }) => (
          <Stack gap="md" maw={640}>
            <Text>
              Admins, and mailbox users if you allow it, can sign in with your company’s own
              identity provider, such as Google Workspace, Microsoft Entra, or Keycloak (OpenID
              Connect). Anyone who controls the provider can sign in as any of them.
            </Text>
            <DescriptionList
              items={{
                "Redirect URL": <CopyableValue value={redirectUrl} label="redirect URL" />,
                "Sign-in link": provider && (
                  <CopyableValue value={provider.signInUrl} label="sign-in link" />
                ),
                "For mailbox users": provider?.allowsMailboxes && (
                  <CopyableValue
                    value={provider.mailboxSignInUrl}
                    label="sign-in link for mailbox users"
                  />
                ),
              }}
            />
            {isOwner ? (
              <>
                <ProviderForm key={provider ? "connected" : "new"} provider={provider} />
                {provider && <ProviderActions provider={provider} />}
                {provider && <MailboxSignOn provider={provider} mailboxes={mailboxes} />}
              </>
            ) : (
              <Text c="dimmed">
                {provider ? `Connected to ${provider.issuer}. ` : ""}Only owners can change this.
              </Text>
            )}
          </Stack>
        )}
      </QueryView>
    </Panel>
  );
}

function ProviderStatus({ provider }: { provider: ConnectedProvider | null }) {
  if (!provider) return <Status tone="none" label="Not connected" />;
  return provider.requiredForAdmins ? (
    <Status tone="done" label="Required" />
  ) : (
    <Status tone="done" label="Optional" />
  );
}

type Props = { provider: ConnectedProvider; mailboxes: ProviderUse };

/** Whether mailbox users can, or have to, sign in with the provider. */
function MailboxSignOn({ provider, mailboxes }: Props) {
  const { allowsMailboxes: isAllowed, requiredForMailboxes: isRequired } = provider;
  const linked = mailboxes?.linked ?? 0;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Mailbox users
      </Title>
      {mailboxes ? (
        <LinkedMailboxes linked={linked} isRequired={isRequired} />
      ) : (
        <Text>
          Mailbox users sign in with their passwords. If you allow it, they can also use the
          provider, with the same redirect URL.
        </Text>
      )}
      <Group gap="xs">
        {!isRequired && <AllowMailboxes isAllowed={isAllowed} />}
        {(isRequired || linked > 0) && (
          <RequireForMailboxes isRequired={isRequired} mailboxes={mailboxes} />
        )}
      </Group>
    </Stack>
  );
}

const LinkedMailboxes = ({ linked, isRequired }: { linked: number; isRequired: boolean }) => (
  <>
    <Text>
      {pluralize(linked, "mailbox", "mailboxes")} {linked === 1 ? "is" : "are"} linked to{" "}
      {linked === 1 ? "an account" : "accounts"} at the provider.
    </Text>
    {linked === 0 && !isRequired && (
      <Text c="dimmed">
        To require single sign-on, first sign in to a mailbox with it to confirm that it works.
      </Text>
    )}
  </>
);

function AllowMailboxes({ isAllowed }: { isAllowed: boolean }) {
  const update = useUpdateProvider(
    isAllowed
      ? "Mailbox users can no longer use single sign-on"
      : "Mailbox users can now use single sign-on",
  );
  return (
    <ConfirmedButton
      label={isAllowed ? "Stop allowing mailbox users" : "Allow mailbox users"}
      title={`${isAllowed ? "Stop allowing" : "Allow"} single sign-on for mailbox users?`}
      isHarmless={!isAllowed}
      onConfirm={() => update.run({ body: { allowsMailboxes: !isAllowed } })}
    >
      {isAllowed
        ? "Sessions at /account that started with the provider stop working. Mailbox users need their passwords to sign in again. App passwords keep working. Exception: app passwords of mailbox users who have to set a new password stop working until they do."
        : "Mailbox users can sign in at /account with the provider if the email address it verified matches their mailbox. Passwords keep working. Anyone who controls the provider can open any mailbox of this company."}
    </ConfirmedButton>
  );
}

type RequireForMailboxesProps = { isRequired: boolean; mailboxes: ProviderUse };

function RequireForMailboxes({ isRequired, mailboxes }: RequireForMailboxesProps) {
  const update = useUpdateProvider(
    isRequired
      ? "Single sign-on is now optional for mailbox users"
      : "Single sign-on is now required for mailbox users",
  );
  return (
    <ConfirmedButton
      label={isRequired ? "Make optional for mailbox users" : "Require for mailbox users"}
      title={
        isRequired
          ? "Make single sign-on optional for mailbox users?"
          : "Require single sign-on for mailbox users?"
      }
      isHarmless={isRequired}
      onConfirm={() => update.run({ body: { requiredForMailboxes: !isRequired } })}
    >
      {isRequired ? (
        "Mailbox users can sign in with their passwords again, at /account and in mail apps. If a mailbox isn’t linked to an account at the provider and its user has to set a new password, its app passwords stop working until they do."
      ) : (
        <Consequences mailboxes={mailboxes} />
      )}
    </ConfirmedButton>
  );
}

function Consequences({ mailboxes }: { mailboxes: ProviderUse }) {
  const { withPassword, withoutAppPasswords: without } = mailboxes!;
  return (
    <Stack gap="xs">
      <Text>
        Mailbox passwords stop working, at /account and in mail apps. Mail apps need app passwords,
        which mailbox users create at /account after signing in with the provider.
      </Text>
      {withPassword > 0 && (
        <Text>
          {pluralize(withPassword, "mailbox", "mailboxes")} used a mail app without an app password
          in the last 7 days. {withPassword === 1 ? "Its mail app" : "Their mail apps"} will be
          signed out.
        </Text>
      )}
      {without > 0 && (
        <Text>
          {pluralize(without, "mailbox", "mailboxes")} can’t have app passwords because of the
          policy of {without === 1 ? "its unit" : "their units"}, so no mail app will be able to
          open {without === 1 ? "it" : "them"}.
        </Text>
      )}
      <Text>
        If the provider fails, the operator of this server can undo this with posthouse company
        allow-passwords.
      </Text>
    </Stack>
  );
}
