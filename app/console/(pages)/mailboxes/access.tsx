import { Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import {
  AppPasswordLastUse,
  describeUserAgent,
  formatProtocols,
} from "#app/console/ui/sign-ins.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./mailbox.module.css";
import { ResetMailboxPassword } from "./passwords.tsx";
import {
  type Access,
  accessQuery,
  type MailboxDetail,
  useEndSessions,
  useResetSecondFactor,
  useRevokeAppPassword,
  useUnlinkMailbox,
} from "./queries.ts";
import { MailboxShares } from "./sharing.tsx";

export function MailboxAccessPanels({ mailbox }: { mailbox: MailboxDetail }) {
  const access = useQuery(accessQuery(mailbox.id));
  return (
    <Stack gap="md">
      {mailbox.may.reset_password && <ResetMailboxPassword mailbox={mailbox} />}
      {mailbox.may.reset_password && mailbox.hasSecondFactor && (
        <ResetSecondFactor mailbox={mailbox} />
      )}
      <MailboxShares mailbox={mailbox} />
      <QueryView query={access} noun="sessions" skeleton={<PanelSkeleton count={7} />}>
        {(access) => (
          <Stack gap="md">
            {access.identityLinkedAt && (
              <UnlinkMailbox mailbox={mailbox} linkedAt={access.identityLinkedAt} />
            )}
            <MailboxSessions mailbox={mailbox} access={access} />
            <MailboxAppPasswords mailbox={mailbox} passwords={access.appPasswords} />
            <LastSignIns mailbox={mailbox} networks={access.networks} />
          </Stack>
        )}
      </QueryView>
    </Stack>
  );
}

type LastSignInsProps = { mailbox: MailboxDetail; networks: Access["networks"] };

function LastSignIns({ mailbox, networks }: LastSignInsProps) {
  const { lastSignInAt: last, lastMailAppAt: withApp } = mailbox;
  return (
    <Panel title="Last sign-ins">
      <DescriptionList
        items={{
          "Most recent": last === null ? "Never" : <ExactTime at={last} />,
          "With a mail app": withApp === null ? "Never" : <ExactTime at={withApp} />,
        }}
      />
      {networks.length > 0 && (
        <div className={classes.networks}>
          <ItemList label="Networks">
            {networks.map(({ network, lastSeenAt: seenAt, firstSeenAt: firstAt }) => (
              <ItemRow key={network} title={`From ${network}`}>
                Last <RelativeTime at={seenAt} />, first <RelativeTime at={firstAt} />
              </ItemRow>
            ))}
          </ItemList>
        </div>
      )}
      {networks.length === 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          Networks used to sign in appear here.
        </Text>
      )}
    </Panel>
  );
}

type AppPassword = Access["appPasswords"][number];

type MailboxAppPasswordsProps = { mailbox: MailboxDetail; passwords: AppPassword[] };

/** Admins can revoke app passwords but not create them. */
function MailboxAppPasswords({ mailbox, passwords }: MailboxAppPasswordsProps) {
  const revoke = useRevokeAppPassword(mailbox.id);
  return (
    <Panel title="App passwords">
      {passwords.length === 0 ? (
        <Text c="dimmed">
          No app passwords. Mailbox users create them on their account page, one for each mail app.
        </Text>
      ) : (
        <ItemList label="App passwords">
          {passwords.map((password) => (
            <ItemRow
              key={password.id}
              title={password.name}
              actions={
                mailbox.may.reset_password && (
                  <ConfirmedButton
                    label="Revoke"
                    size="xs"
                    name={`Revoke ${password.name}`}
                    title={`Revoke ${password.name}?`}
                    confirmLabel="Revoke app password"
                    onConfirm={() => revoke.mutateAsync(password.id)}
                  >
                    The app using it is signed out immediately and can’t receive mail anymore. Other
                    apps are disconnected briefly and reconnect automatically.
                  </ConfirmedButton>
                )
              }
            >
              <AppPasswordLastUse password={password} />, created{" "}
              <RelativeTime at={password.createdAt} />
            </ItemRow>
          ))}
        </ItemList>
      )}
    </Panel>
  );
}

function MailboxSessions({ mailbox, access }: { mailbox: MailboxDetail; access: Access }) {
  const end = useEndSessions(mailbox.id);
  const { browsers, mailApps: apps } = access;
  const may = mailbox.may.reset_password;
  const hasSome = browsers.length > 0 || apps?.length !== 0;
  return (
    <Panel
      title="Active sessions"
      aside={
        may &&
        hasSome && (
          <ConfirmedButton
            label="End all sessions"
            size="xs"
            title={`End all sessions of ${mailbox.id}?`}
            isHarmless
            onConfirm={() => end.run({})}
          >
            The mailbox user is signed out of all mail apps and the account page immediately. Anyone
            who knows the password can sign in again; to prevent that, reset it too.
          </ConfirmedButton>
        )
      }
    >
      <Stack gap="md">
        <NoSessions isAsked={apps !== null} isNobody={!hasSome} />
        <MailAppSessions
          apps={apps ?? []}
          onEnd={may ? (from) => end.start({ mailAppsFrom: from }) : undefined}
        />
        <BrowserSessions
          browsers={browsers}
          onEnd={may ? (id) => end.start({ browser: id }) : undefined}
        />
      </Stack>
    </Panel>
  );
}

function NoSessions({ isAsked, isNobody }: { isAsked: boolean; isNobody: boolean }) {
  if (!isAsked)
    return (
      <Text role="status">
        Mail app sessions are unavailable because the mail server isn’t responding.
      </Text>
    );
  return isNobody && <Text c="dimmed">No active sessions.</Text>;
}

type MailAppSessionsProps = {
  apps: NonNullable<Access["mailApps"]>;
  onEnd: ((from: string) => void) | undefined;
};

function MailAppSessions({ apps, onEnd }: MailAppSessionsProps) {
  if (apps.length === 0) return null;
  return (
    <ItemList label="Mail apps">
      {apps.map(({ clientAddress: from, services, connections }) => (
        <ItemRow
          key={from}
          title={`Mail app at ${from}`}
          actions={
            onEnd && <EndSessionButton what={`mail app at ${from}`} onEnd={() => onEnd(from)} />
          }
        >
          {pluralize(connections, "connection")} for {formatProtocols(services)}
        </ItemRow>
      ))}
    </ItemList>
  );
}

type BrowserSessionsProps = {
  browsers: Access["browsers"];
  onEnd: ((id: string) => void) | undefined;
};

function BrowserSessions({ browsers, onEnd }: BrowserSessionsProps) {
  if (browsers.length === 0) return null;
  return (
    <ItemList label="Account page">
      {browsers.map(({ id, userAgent: agent, clientAddress: from, createdAt: at, usesWebmail }) => (
        <ItemRow
          key={id}
          title={describeUserAgent(agent)}
          actions={
            onEnd && <EndSessionButton what={describeUserAgent(agent)} onEnd={() => onEnd(id)} />
          }
        >
          {usesWebmail ? "Account page and webmail" : "Account page"}
          {from !== null && ` from ${from}`}, signed in <RelativeTime at={at} />
        </ItemRow>
      ))}
    </ItemList>
  );
}

const EndSessionButton = ({ what, onEnd }: { what: string; onEnd: () => void }) => (
  <Button variant="default" size="xs" aria-label={`End session of ${what}`} onClick={onEnd}>
    End session
  </Button>
);

/** For a mailbox user who lost their second factors. */
function ResetSecondFactor({ mailbox }: { mailbox: MailboxDetail }) {
  const reset = useResetSecondFactor(mailbox.id);
  return (
    <Panel title="Two-factor authentication" aside={<Status tone="done" label="On" />}>
      <Text c="dimmed" mb="md">
        If the mailbox user lost their authenticator app, passkeys, and recovery codes, verify who
        is asking, then remove them.
      </Text>
      <ConfirmedButton
        label="Remove second factors"
        title={`Remove second factors of ${mailbox.id}?`}
        onConfirm={() => reset.mutateAsync()}
      >
        The mailbox user is signed out everywhere and signs in with the password alone. Their
        recovery codes stop working.
      </ConfirmedButton>
    </Panel>
  );
}

/** For a mailbox that is linked to an account at the identity provider. */
function UnlinkMailbox({ mailbox, linkedAt }: { mailbox: MailboxDetail; linkedAt: string }) {
  const unlink = useUnlinkMailbox(mailbox.id);
  return (
    <Panel title="Single sign-on" aside={<Status tone="done" label="Linked" />}>
      <Text c="dimmed" mb={mailbox.may.reset_password ? "md" : 0}>
        Linked to an account at the identity provider since <ExactTime at={linkedAt} />. If that
        account was deleted and created again, unlink it.
      </Text>
      {mailbox.may.reset_password && (
        <ConfirmedButton
          label="Unlink account"
          title={`Unlink the account of ${mailbox.id}?`}
          onConfirm={() => unlink.run()}
        >
          Sessions that started with single sign-on end. When the mailbox user next signs in with
          the provider, the account that has the mailbox’s address at that time is linked.{" "}
          {mailbox.forcePasswordChange
            ? "App passwords stop working until then, or until the mailbox user sets a new password. If single sign-on is required, they keep working."
            : "App passwords keep working."}
        </ConfirmedButton>
      )}
    </Panel>
  );
}
