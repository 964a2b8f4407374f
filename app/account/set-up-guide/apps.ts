/** Setup steps for a mail app; `{address}` is replaced with the mailbox's address. */
export type App = { name: string; steps: string[]; hasProfile?: true };

export const APPS: [App, ...App[]] = [
  {
    name: "Outlook",
    steps: [
      "Open File, then Add Account. In the new Outlook: Settings, Accounts, Add account.",
      "Enter {address} and choose Connect. Outlook finds the settings automatically.",
      "Enter the password when it asks.",
      "If it asks for the kind of account, choose IMAP and enter the settings below.",
    ],
  },
  {
    name: "Thunderbird",
    steps: [
      "Open the menu, then New Account, Email.",
      "Enter your name, {address} and the password, and choose Continue.",
      "Thunderbird has found the settings: choose IMAP, then Done.",
    ],
  },
  {
    name: "Apple Mail",
    hasProfile: true,
    steps: [
      "Download the profile on your iPhone, iPad, or Mac.",
      "Open Settings. The profile is at the top; on a Mac, it’s under General, Device Management.",
      "Choose Install and enter the password when it asks.",
      "Without the profile: Settings, Apps, Mail, Mail Accounts, Add Account, Other, and the settings below.",
    ],
  },
  {
    name: "Android",
    steps: [
      "In Gmail: your profile picture, Add another account, Other. In other apps: add an account.",
      "Enter {address}, choose IMAP (personal), and enter the password.",
      "Enter the servers below where the app asks for them, and SSL/TLS as security.",
    ],
  },
  {
    name: "Others",
    steps: [
      "Add an account with {address}; many apps find the settings automatically.",
      "If yours does not, choose IMAP and enter the settings below.",
    ],
  },
];
