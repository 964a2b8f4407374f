import { NativeSelect, TextInput } from "@mantine/core";

import classes from "./address-fields.module.css";
import { formText } from "./form-text.ts";

/**
 * Inputs for a new address at one of the company's domains. Read them with `readAddress`.
 *
 * @param domains at least one
 */
export function AddressFields({
  domains,
  placeholder,
  error,
}: {
  domains: string[];
  placeholder: string;
  error: string | null;
}) {
  return (
    <div className={classes.address}>
      <TextInput
        name="local"
        label="Address"
        placeholder={placeholder}
        error={error}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <NativeSelect
        name="domain"
        label="Domain"
        size="md"
        data={domains.map((name) => ({ value: name, label: `@${name}` }))}
      />
    </div>
  );
}

export const readAddress = (form: FormData): string =>
  completeAddress(formText(form, "local"), formText(form, "domain"));

/** Appends `@domain` unless the address already has a domain. */
export function completeAddress(typed: string, domain: string): string {
  const address = typed.trim();
  return address === "" || address.includes("@") ? address : `${address}@${domain}`;
}
