import {
  NativeSelect,
  type NativeSelectProps,
  TextInput,
  type TextInputProps,
} from "@mantine/core";

import classes from "./address-fields.module.css";
import { VERBATIM } from "./form/verbatim.ts";

type AddressFieldsProps = {
  address: TextInputProps;
  domain: NativeSelectProps;
  domains: string[];
  placeholder: string;
};

/**
 * Inputs for a new address at one of the company's domains. Put the values together with `completeAddress`.
 *
 * @param domains at least one
 */
export const AddressFields = ({ address, domain, domains, placeholder }: AddressFieldsProps) => (
  <div className={classes.address}>
    <TextInput {...address} label="Address" placeholder={placeholder} {...VERBATIM} />
    <NativeSelect
      {...domain}
      label="Domain"
      size="md"
      data={domains.map((name) => ({ value: name, label: `@${name}` }))}
    />
  </div>
);

/** Appends `@domain` unless the address already has a domain. */
export function completeAddress(typed: string, domain: string): string {
  const address = typed.trim();
  return address === "" || address.includes("@") ? address : `${address}@${domain}`;
}
