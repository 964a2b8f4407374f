"use client";

import { Modal } from "#app/console/ui/dialog.tsx";

import { ConfirmIdentityForm } from "./confirm-identity-form.tsx";
import { type Factors, useRefreshFactors, useRegenerateRecoveryCodes } from "./queries.ts";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";

export function RegenerateRecoveryCodes({
  factors,
  onClose,
}: {
  factors: Factors;
  onClose: () => void;
}) {
  const regenerate = useRegenerateRecoveryCodes();
  const refresh = useRefreshFactors();
  if (regenerate.data)
    return (
      <RecoveryCodesDialog
        codes={regenerate.data.recoveryCodes}
        onSaved={() => {
          onClose();
          void refresh();
        }}
      />
    );
  return (
    <Modal opened onClose={onClose} title="Generate new recovery codes?">
      <ConfirmIdentityForm
        factors={factors}
        verb="Generate new codes"
        send={regenerate.mutateAsync}
        onClose={onClose}
      >
        You get ten new codes. Your current codes stop working.
      </ConfirmIdentityForm>
    </Modal>
  );
}
