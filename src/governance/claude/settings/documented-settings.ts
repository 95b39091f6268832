interface NotTaken {
  readonly why: string;
  readonly keys: string;
}

/** Settings that count here, wholly or in part. */
const taken =
  "permissions hooks allowManagedPermissionRulesOnly allowManagedHooksOnly allowedHttpHookUrls httpHookAllowedEnvVars outputStyle skillOverrides deniedMcpServers sandbox $schema";

/** Every other documented setting, with what it is not taken for. */
const notTaken: readonly NotTaken[] = [
  {
    why: "the profiles of writ.yaml say which model answers, and how",
    keys: "advisorModel alwaysThinkingEnabled availableModels effortLevel enforceAvailableModels fallbackModel fastMode fastModePerSessionOptIn language model modelOverrides showThinkingSummaries switchModelsOnFlag ultracode smallFastModel",
  },
  {
    why: "there is no classifier of calls: the mode auto is read as default",
    keys: "autoMode disableAutoMode useAutoModeDuringPlan skipAutoPermissionPrompt permissionExplainerEnabled",
  },
  {
    why: "bypassPermissions leaves the order in force, so nobody is warned of it",
    keys: "skipDangerousModePermissionPrompt",
  },
  {
    why: "a conversation is compacted, and remembered, as writ.yaml says",
    keys: "autoCompactEnabled autoCompactWindow autoMemoryDirectory autoMemoryEnabled skillListingBudgetFraction skillListingMaxDescChars",
  },
  { why: "it stands in CLAUDE.md beside the managed settings, which is read", keys: "claudeMd" },
  { why: "each rule file is agreed to by itself (`writ trust`)", keys: "claudeMdExcludes" },
  { why: "programs get no variables but those that their rights name", keys: "env" },
  {
    why: "what an order writes waits in its layer, and is in the record",
    keys: "fileCheckpointingEnabled plansDirectory",
  },
  {
    why: "it is about Claude Code's own screen",
    keys: "askUserQuestionTimeout autoScrollEnabled axScreenReader companyAnnouncements defaultShell dialogExpiry editorMode emojiCompletionEnabled fileSuggestion footerLinksRegexes keybindingFlavor prefersReducedMotion promptSuggestionEnabled respectGitignore respondToBashCommands showClearContextOnPlanAccept showTurnDuration spellcheck spinnerTipsEnabled spinnerTipsOverride spinnerVerbs statusLine subagentStatusLine syntaxHighlightingDisabled terminalProgressBarEnabled terminalTitleFromRename theme tui verbose viewMode vimInsertModeRemaps voice voiceEnabled wheelScrollAccelerationEnabled diffTool externalEditorContext autoConnectIde autoInstallIdeExtension",
  },
  {
    why: "agents write what their orders ask for",
    keys: "attribution includeCoAuthoredBy includeGitInstructions prUrlTemplate",
  },
  {
    why: "hooks are asked all the same; to ask none, set hooks.read_claude_settings to false",
    keys: "disableAllHooks",
  },
  {
    why: "workflows here are cycles of writ.yaml",
    keys: "disableWorkflows enableWorkflows workflowKeywordTriggerEnabled workflowSizeGuideline",
  },
  {
    why: "`writ skill list` names the skills in force",
    keys: "disableBundledSkills syncClaudeAiSkills",
  },
  { why: "commands in skills never run by themselves here", keys: "disableSkillShellExecution" },
  {
    why: "plugins are read from the folders below .claude/plugins, and from nowhere else",
    keys: "enabledPlugins extraKnownMarketplaces pluginConfigs blockedMarketplaces strictKnownMarketplaces disableCommandPluginSources pluginSuggestionMarketplaces pluginTrustMessage allowedChannelPlugins channelsEnabled",
  },
  {
    why: "files of the workspace are trusted one by one (`writ trust`), wherever they come from",
    keys: "strictPluginOnlyCustomization disableSideloadFlags",
  },
  {
    why: "tools of servers are approved one by one (`writ tool approve`)",
    keys: "allowedMcpServers allowManagedMcpServersOnly enabledMcpjsonServers disabledMcpjsonServers enableAllProjectMcpServers allowAllClaudeAiMcps disableClaudeAiConnectors",
  },
  { why: "it is no longer read by Claude Code either; `permissions.allow` is", keys: "allowedTools" },
  {
    why: "orders, threads and cycles are what sessions and teams are there",
    keys: "agent crossSessionInbound disableAgentView isolatePeerMachines processWrapper teammateMode teammateDefaultModel worktree",
  },
  {
    why: "it is about Claude Code's own apps and messages",
    keys: "agentPushNotifEnabled awaySummaryEnabled disableArtifact disableDeepLinkRegistration disableRemoteControl enableArtifact inputNeededNotifEnabled preferredNotifChannel remote remoteControlAtStartup sshConfigs sshHostAllowlist browserExternalPageTools disableBrowserExternalNavigation disableMobileSimulatorTools",
  },
  {
    why: "keys of models are secrets of writ.yaml",
    keys: "apiKeyHelper awsAuthRefresh awsCredentialExport forceLoginMethod forceLoginGatewayUrl forceLoginOrgUUID gcpAuthRefresh",
  },
  {
    why: "`writ --version` is what runs, and nothing updates it by itself",
    keys: "autoUpdatesChannel autoUpdates minimumVersion requiredMaximumVersion requiredMinimumVersion",
  },
  {
    why: "what is kept and sent is said in writ.yaml",
    keys: "cleanupPeriodDays feedbackSurveyRate skipWebFetchPreflight otelHeadersHelper",
  },
  {
    why: "settings are read from the four files alone",
    keys: "forceRemoteSettingsRefresh parentSettingsBehavior policyHelper wslInheritsWindowsSettings",
  },
];

/** Every setting that Claude Code documents: null where it counts here, else why it does not. */
export const documentedSettings: ReadonlyMap<string, string | null> = new Map([
  ...taken.split(" ").map((key): [string, null] => [key, null]),
  ...notTaken.flatMap(({ why, keys }) => keys.split(" ").map((key): [string, string] => [key, why])),
]);
