import { Button, CloseButton, Group, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type SubmitEvent, useState } from "react";

import { type Rules, useSaveForwarding } from "#app/account/rule-queries.ts";
import { SavedNotice } from "#app/account/ui/saved.tsx";
import { FormError } from "#app/console/ui/form-error.tsx";

import classes from "./forwarding.module.css";

const ADDRESSES_MAX = 5;

/** @param mayLeave forwarding outside the company is allowed */
export function ForwardingForm({ rules, mayLeave }: { rules: Rules; mayLeave: boolean }) {
  const save = useSaveForwarding();
  const [addresses, setAddresses] = useState(rules.forward_to.length > 0 ? rules.forward_to : [""]);
  const [keepsCopy, setKeepsCopy] = useState(rules.keep_copy);
  const given = addresses.map((address) => address.trim()).filter(Boolean);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    save.mutate({ forward_to: given, keep_copy: keepsCopy });
  }

  const change = (at: number, address: string) => setAddresses(addresses.with(at, address));

  return (
    <form onSubmit={handleSubmit} method="post" noValidate onChange={() => save.reset()}>
      <Stack gap="md" maw={480}>
        <fieldset className={classes.addresses}>
          <legend className={classes.legend}>Forward to</legend>
          {addresses.map((address, at) => (
            <Group key={at} gap="xs" wrap="nowrap">
              <TextInput
                className={classes.address}
                aria-label={`Address ${at + 1}`}
                type="email"
                autoComplete="off"
                placeholder="ann@example.net"
                value={address}
                onChange={({ currentTarget }) => change(at, currentTarget.value)}
              />
              {addresses.length > 1 && (
                <CloseButton
                  aria-label={`Remove address ${at + 1}`}
                  onClick={() => {
                    save.reset();
                    setAddresses(addresses.toSpliced(at, 1));
                  }}
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
          onChange={({ currentTarget }) => setKeepsCopy(currentTarget.checked)}
        />
        {!keepsCopy && given.length > 0 && (
          <Text size="sm" role="status">
            This mailbox won’t keep a copy. Messages that can’t be forwarded are delivered here.
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {mayLeave
            ? "Anyone with access to these addresses can read all your mail. Spam isn’t forwarded."
            : "Your company only allows forwarding within the company. Spam isn’t forwarded."}
        </Text>
        <FormError error={save.error} />
        <div>
          <Button type="submit" aria-busy={save.isPending}>
            Save changes
          </Button>
          {save.isSuccess && (
            <SavedNotice>
              {given.length > 0 ? "Saved. Mail is now forwarded." : "Saved. Forwarding is off."}
            </SavedNotice>
          )}
        </div>
      </Stack>
    </form>
  );
}
