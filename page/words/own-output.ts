/** Fields of the form for custom settings. An output keeps its other fields as they are. */
const formFields = ['container', 'audio', 'video', 'loudness', 'level', 'trim', 'fade', 'silence'];

type Settings = Readonly<Record<string, unknown>>;

/** The settings of a preset as an output's: all but its name and description. */
export function outputOf({ name: _name, description: _description, ...settings }: Settings): Settings {
  return settings;
}

/** The fields that the form can show. A package has no container, and a list, such as the audio of an audio package, has no form. */
export function fieldsInForm(settings: Settings): string[] {
  return formFields.filter(
    (name) => !(name === 'container' && settings['package'] !== undefined) && !Array.isArray(settings[name]),
  );
}

/** The fields that the form cannot show; an output keeps them as they are. */
export function fieldsOutsideForm(settings: Settings): string[] {
  const shown = fieldsInForm(settings);
  return Object.keys(outputOf(settings)).filter((name) => !shown.includes(name));
}

/** An output needs a container, or it is a package. */
export function isOutput(settings: Settings): boolean {
  return settings['container'] !== undefined || settings['package'] !== undefined;
}
