"use client";

import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { usePrivileges } from "#app/console/privileges.ts";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { MailboxSignOn } from "./mailbox-sign-on.tsx";
import { ProviderActions } from "./provider-actions.tsx";
import { ProviderForm } from "./provider-form.tsx";
import { type ConnectedProvider, singleSignOnQuery } from "./queries.ts";

/** The company's identity provider. Admins who manage settings see it; only owners can change it. */
export function SingleSignOn() {
  const query = useQuery(singleSignOnQuery);
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
            <DescriptionList>
              <DescriptionItem label="Redirect URL">
                <CopyableValue value={redirectUrl} label="redirect URL" />
              </DescriptionItem>
              {provider && (
                <DescriptionItem label="Sign-in link">
                  <CopyableValue value={provider.signInUrl} label="sign-in link" />
                </DescriptionItem>
              )}
              {provider?.allowsMailboxes && (
                <DescriptionItem label="For mailbox users">
                  <CopyableValue
                    value={provider.mailboxSignInUrl}
                    label="sign-in link for mailbox users"
                  />
                </DescriptionItem>
              )}
            </DescriptionList>
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
