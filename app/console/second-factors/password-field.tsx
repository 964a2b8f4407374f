import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** Asks for the password again, so that an unlocked browser alone can't weaken the sign-in. */
export function PasswordField({ email, field }: { email?: string; field: PasswordInputProps }) {
  return (
    <>
      {email !== undefined && (
        <input name="username" autoComplete="username" defaultValue={email} hidden />
      )}
      <PasswordInput
        {...field}
        label="Your password"
        autoComplete="current-password"
        data-autofocus
      />
    </>
  );
}
