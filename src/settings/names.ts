/** What can be set, by the name it has in files, after `--`, and in capitals after BLOGCTL_. */
export const settingNames = ['blog', 'profile', 'timeout', 'retries', 'max-wait'] as const;
export type SettingName = (typeof settingNames)[number];
