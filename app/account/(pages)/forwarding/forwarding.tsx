"use client";

import {
  Button,
  CloseButton,
  Group,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
} from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { SavedNotice } from "#app/account/passwords.tsx";
import {
  type AccountRules,
  mailboxUserQuery,
  rulesQuery,
  useResumeForwarding,
  useSaveForwarding,
} from "#app/account/queries.ts";
import { useIdentityCheck } from "#app/account/two-factor.tsx";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { StatusDot } from "#app/console/ui/status.tsx";

import classes from "./forwarding.module.css";

export function Forwarding() {
  const rules = useQuery(rulesQuery);
  const { data: me } = useQuery(mailboxUserQuery);
  const save = useSaveForwarding();
  const identity = useIdentityCheck("Save changes");
  return (
    <>
      <PageHeader title="Forwarding" description="Forward incoming mail to other addresses." />
      <Panel>
        <QueryView query={rules} noun="your forwarding" skeleton={<Skeleton height={200} />}>
          {(rules) => (
            <>
              <SuspendedForwards suspended={rules.suspendedForwards} />
              <ForwardingForm
                rules={rules}
                mayLeave={me?.allows.forwardingOutside ?? true}
                draft="forwarding"
                save={(fields) => identity.run((shown) => save.run({ ...fields, ...shown }))}
              />
              {identity.dialog}
            </>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

/** Forwarding addresses that were suspended because they kept failing. */
function SuspendedForwards({ suspended }: { suspended: AccountRules["suspendedForwards"] }) {
  const resume = useResumeForwarding();
  if (suspended.length === 0) return null;
  return (
    <Stack gap="sm" mb="lg" maw={480}>
      {suspended.map(({ address, reason }) => (
        <div key={address} className={classes.suspended}>
          <StatusDot tone="waiting" />
          <Text fw={600}>Forwarding to {address} is suspended</Text>
          <Text size="sm">
            Several messages in a row couldn’t be delivered to this address. Last error: {reason}{" "}
            New messages stay in this mailbox.
          </Text>
          <Button
            size="xs"
            variant="default"
            aria-label={`Resume forwarding to ${address}`}
            aria-busy={resume.isPending && resume.variables === address}
            onClick={() => resume.start(address)}
          >
            Resume forwarding
          </Button>
        </div>
      ))}
    </Stack>
  );
}

const ADDRESSES_MAX = 5;

type ForwardingFields = Pick<AccountRules, "forwardTo" | "keepCopy">;

/**
 * The form of a mailbox's forwarding, for the mailbox user and for admins.
 *
 * @param mayLeave forwarding outside the company is allowed
 */
export function ForwardingForm({
  rules,
  mayLeave,
  draft,
  save,
}: {
  rules: ForwardingFields;
  mayLeave: boolean;
  draft: string;
  save: (fields: ForwardingFields) => Promise<unknown>;
}) {
  const form = useForm({
    initialValues: {
      forwardTo: rules.forwardTo.length > 0 ? rules.forwardTo : [""],
      keepCopy: rules.keepCopy,
    },
    labels: {
      forwardTo: "Addresses",
      ...Object.fromEntries(
        Array.from({ length: ADDRESSES_MAX }, (_, at) => [`forwardTo.${at}`, "Address"]),
      ),
    },
    draft,
    send: ({ forwardTo, keepCopy }) => save({ forwardTo: trimmed(forwardTo), keepCopy }),
  });
  const { forwardTo: addresses, keepCopy: keepsCopy } = form.values;
  const isForwarding = addresses.some((address) => address.trim() !== "");
  const setAddresses = (next: string[]) => form.set("forwardTo", next);

  return (
    <Form
      form={form}
      maxWidth={480}
      actions={
        <div>
          <SubmitButton form={form}>Save changes</SubmitButton>
          {form.isSaved && (
            <SavedNotice>
              {isForwarding ? "Saved. Mail is now forwarded." : "Saved. Forwarding is off."}
            </SavedNotice>
          )}
        </div>
      }
    >
      <fieldset className={classes.addresses}>
        <legend className={classes.legend}>Forward to</legend>
        <Text size="sm" c="dimmed">
          Up to {ADDRESSES_MAX} addresses. Without an address, forwarding is off.
        </Text>
        {addresses.map((address, at) => (
          <Group key={at} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              className={classes.address}
              aria-label={`Address ${at + 1}`}
              type="email"
              autoComplete="off"
              placeholder="ann@example.net"
              value={address}
              onChange={({ currentTarget }) =>
                setAddresses(addresses.with(at, currentTarget.value))
              }
              error={form.errors[`forwardTo.${at}`]}
            />
            {(addresses.length > 1 || address !== "") && (
              <CloseButton
                className={classes.remove ?? ""}
                aria-label={`Remove ${address || "empty field"}`}
                onClick={() => setAddresses(removed(addresses, at))}
              />
            )}
          </Group>
        ))}
        {addresses.length < ADDRESSES_MAX && (
          <Button
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => setAddresses([...addresses, ""])}
          >
            Add address
          </Button>
        )}
      </fieldset>
      <Switch
        label="Keep a copy in this mailbox"
        checked={keepsCopy}
        onChange={({ currentTarget }) => form.set("keepCopy", currentTarget.checked)}
      />
      {!keepsCopy && isForwarding && (
        <Text size="sm" role="status">
          This mailbox won’t keep a copy. Messages that can’t be forwarded are delivered here.
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {mayLeave
          ? "Anyone with access to these addresses can read all your mail. Spam isn’t forwarded."
          : "Your company only allows forwarding within the company. Spam isn’t forwarded."}
      </Text>
    </Form>
  );
}

/** At least one field is left to type into. */
const removed = (addresses: string[], at: number) =>
  addresses.length === 1 ? [""] : addresses.toSpliced(at, 1);

const trimmed = (addresses: string[]) =>
  addresses.map((address) => address.trim()).filter((address) => address !== "");
