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
  useResendForwardRequest,
  useResumeForwarding,
  useSaveForwarding,
} from "#app/account/queries.ts";
import { useIdentityCheck } from "#app/account/two-factor.tsx";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatLocalDay } from "#app/console/ui/format.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { StatusDot } from "#app/console/ui/status.tsx";
import { useTexts } from "#app/console/ui/texts.tsx";

import classes from "./forwarding.module.css";

export function Forwarding() {
  const text = useTexts();
  const rules = useQuery(rulesQuery);
  const { data: me } = useQuery(mailboxUserQuery);
  const save = useSaveForwarding();
  const identity = useIdentityCheck(text("form.saveChanges"));
  return (
    <>
      <PageHeader title={text("forwarding")} description={text("forwarding.text")} />
      <Panel>
        <QueryView
          query={rules}
          noun={text("noun.forwarding")}
          skeleton={<Skeleton height={200} />}
        >
          {(rules) => (
            <>
              <StoppedForwards rules={rules} />
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

/** Forwarding addresses that get no mail: they haven't confirmed, or were suspended because they kept failing. */
function StoppedForwards({ rules }: { rules: AccountRules }) {
  const text = useTexts();
  const { suspendedForwards: suspended, unconfirmedForwards: unconfirmed } = rules;
  const resume = useResumeForwarding();
  const resend = useResendForwardRequest(text("forwarding.resent"));
  if (suspended.length + unconfirmed.length === 0) return null;
  return (
    <Stack gap="sm" mb="lg" maw={480}>
      {unconfirmed.map(({ address, isDeclined, requestedAt }) => (
        <div key={address} className={classes.stopped}>
          <StatusDot tone={isDeclined ? "failed" : "waiting"} />
          <Text fw={600}>
            {text(isDeclined ? "forwarding.declined" : "forwarding.waiting", { address })}
          </Text>
          <Text size="sm">
            {isDeclined
              ? text("forwarding.declined.text")
              : requestedAt
                ? text("forwarding.waiting.text", { day: formatLocalDay(new Date(requestedAt)) })
                : text("forwarding.waiting.unasked")}
          </Text>
          {!isDeclined && (
            <Button
              size="xs"
              variant="default"
              aria-label={text("forwarding.resend.name", { address })}
              aria-busy={resend.isPending && resend.variables === address}
              onClick={() => resend.start(address)}
            >
              {text("forwarding.resend")}
            </Button>
          )}
        </div>
      ))}
      {suspended.map(({ address, reason }) => (
        <div key={address} className={classes.stopped}>
          <StatusDot tone="waiting" />
          <Text fw={600}>{text("forwarding.suspended", { address })}</Text>
          <Text size="sm">{text("forwarding.suspended.text", { reason })}</Text>
          <Button
            size="xs"
            variant="default"
            aria-label={text("forwarding.resume.name", { address })}
            aria-busy={resume.isPending && resume.variables === address}
            onClick={() => resume.start(address)}
          >
            {text("forwarding.resume")}
          </Button>
        </div>
      ))}
    </Stack>
  );
}

const ADDRESSES_MAX = 5;

type ForwardingFields = Pick<AccountRules, "forwardTo" | "keepCopy">;

type ForwardingFormProps = {
  rules: Pick<AccountRules, "forwardTo" | "keepCopy" | "unconfirmedForwards">;
  mayLeave: boolean;
  draft: string;
  save: (fields: ForwardingFields) => Promise<unknown>;
};

/**
 * The form of a mailbox's forwarding, for the mailbox user and for admins.
 *
 * @param mayLeave forwarding outside the company is allowed
 */
export function ForwardingForm({ rules, mayLeave, draft, save }: ForwardingFormProps) {
  const text = useTexts();
  const form = useForm({
    initialValues: {
      forwardTo: rules.forwardTo.length > 0 ? rules.forwardTo : [""],
      keepCopy: rules.keepCopy,
    },
    labels: {
      forwardTo: text("forwarding.addresses"),
      ...Object.fromEntries(
        Array.from({ length: ADDRESSES_MAX }, (_, at) => [`forwardTo.${at}`, text("address")]),
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
          <SubmitButton form={form}>{text("form.saveChanges")}</SubmitButton>
          {form.isSaved && (
            <SavedNotice>
              {text(
                !isForwarding
                  ? "forwarding.saved.off"
                  : rules.unconfirmedForwards.length > 0
                    ? "forwarding.saved.waiting"
                    : "forwarding.saved",
              )}
            </SavedNotice>
          )}
        </div>
      }
    >
      <fieldset className={classes.addresses}>
        <legend className={classes.legend}>{text("forwarding.to")}</legend>
        <Text size="sm" c="dimmed">
          {text("forwarding.to.hint", { max: ADDRESSES_MAX })}
        </Text>
        {addresses.map((address, at) => (
          <Group key={at} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              className={classes.address}
              aria-label={text("forwarding.address", { number: at + 1 })}
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
                aria-label={
                  address ? text("forwarding.remove", { address }) : text("forwarding.remove.empty")
                }
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
            {text("forwarding.add")}
          </Button>
        )}
      </fieldset>
      <Switch
        label={text("forwarding.copy")}
        checked={keepsCopy}
        onChange={({ currentTarget }) => form.set("keepCopy", currentTarget.checked)}
      />
      {!keepsCopy && isForwarding && (
        <Text size="sm" role="status">
          {text("forwarding.noCopy")}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {text(mayLeave ? "forwarding.anywhere" : "forwarding.inside")}
      </Text>
    </Form>
  );
}

/** At least one field is left to type into. */
const removed = (addresses: string[], at: number) =>
  addresses.length === 1 ? [""] : addresses.toSpliced(at, 1);

const trimmed = (addresses: string[]) =>
  addresses.map((address) => address.trim()).filter((address) => address !== "");
