import { musicOgg, speechWav } from '../../support/media.ts';

/** A source made by ffmpeg for outputs with a loudness target. */
export interface LoudnessSource {
  name: string;
  extension: string;
  args: readonly string[];
  /** Expected note of the answer if the target is out of reach. */
  note?: RegExp;
}

type Input = readonly string[];

const music: Input = ['-i', musicOgg];
const speech: Input = ['-i', speechWav];

const generated = (graph: string): Input => ['-f', 'lavfi', '-i', graph];

/** Floats keep values above full scale and values that 16 bits would round. */
const asFloat: Input = ['-c:a', 'pcm_f32le'];

function wav(name: string, input: Input, filters: string, ...options: readonly string[]): LoudnessSource {
  return { name, extension: '.wav', args: [...input, '-af', filters, ...asFloat, ...options] };
}

function encodedAs(name: string, extension: string, input: Input, ...options: readonly string[]): LoudnessSource {
  return { name, extension, args: [...input, ...options] };
}

const withNote = (source: LoudnessSource, note: RegExp): LoudnessSource => ({ ...source, note });

const toStereo = 'pan=stereo|c0=c0|c1=c0';
const hasNoLoudness = /nothing to make louder|no loudness that can be measured/;
const tooQuiet = /maxGain/;
const peaksInTheWay = /Under a limiter|cannot be louder/;

const ofMusic: readonly LoudnessSource[] = [
  wav('music/as it is', music, 'anull'),
  wav('music/16 dB quieter', music, 'volume=-16dB'),
  wav('music/24 dB quieter', music, 'volume=-24dB'),
  withNote(wav('music/28 dB quieter', music, 'volume=-28dB'), tooQuiet),
  wav('music/at -16 LUFS or so', music, 'volume=-3dB'),
  wav('music/clipped', music, 'volume=14dB,aformat=s16,aformat=flt'),
  wav('music/8 dB above full scale', music, 'volume=8dB'),
  wav('music/one channel', music, 'pan=mono|c0=0.5*c0+0.5*c1'),
  wav('music/one channel twice', music, 'pan=stereo|c0=c0|c1=c0'),
  wav('music/left only', music, 'pan=stereo|c0=c0'),
  wav('music/right channel upside down', music, 'pan=stereo|c0=c0|c1=-1*c0'),
  wav('music/bass only', music, 'lowpass=f=120,lowpass=f=120,volume=20dB'),
  wav('music/treble only', music, 'highpass=f=6000,highpass=f=6000,volume=20dB'),
  wav(
    'music/compressed hard',
    music,
    'acompressor=threshold=-30dB:ratio=20:makeup=12,alimiter=limit=0.9:level=disabled',
  ),
  wav('music/faded in and out', music, 'afade=t=in:d=9,afade=t=out:st=10:d=9'),
  wav('music/loud and soft by turns', music, "volume=eval=frame:volume='if(lt(mod(t,6),3),1,0.06)'"),
  wav('music/0.6 s', music, 'atrim=3:3.6,volume=20dB'),
  wav('music/2 s', music, 'atrim=3:5,volume=20dB'),
  wav('music/130 s', ['-stream_loop', '-1', ...music], 'volume=-9dB', '-t', '130'),
  wav('music/a quarter of a second in the middle', music, "volume=eval=frame:volume='if(between(t,9,9.25),1,0.02)'"),
  wav('music/with a tone under it', music, "aeval='val(0)+0.1*sin(2*PI*50*t)|val(1)+0.1*sin(2*PI*50*t)':c=same"),
  wav('music/with an offset', music, "aeval='0.5*val(0)+0.02|0.5*val(1)+0.02':c=same"),
];

const ofSpeech: readonly LoudnessSource[] = [
  wav('speech/as it is, 8 kHz', speech, 'anull'),
  wav('speech/20 dB quieter', speech, 'volume=-20dB'),
  wav('speech/stereo', speech, toStereo),
  wav('speech/stereo at 44.1 kHz', speech, `${toStereo},aresample=44100`),
  wav('speech/telephone band', speech, 'highpass=f=300,lowpass=f=3400,aresample=16000'),
  wav('speech/two speakers, 14 dB between them', speech, "volume=eval=frame:volume='if(lt(mod(t,6),3),1,0.2)'"),
  wav('speech/with long pauses', speech, "volume=eval=frame:volume='if(lt(mod(t,8),2),1,0)'"),
  wav('speech/with a hum', speech, "aeval='0.7*val(0)+0.02*sin(2*PI*50*t)':c=same"),
  wav('speech/one click', speech, `volume=-25dB,aeval='if(eq(n,40000),0.99,val(0))':c=same,${toStereo}`),
  wav('speech/a click each second', speech, `volume=-20dB,aeval='if(mod(n,8000),val(0),0.9)':c=same,${toStereo}`),
  wav('speech/a door slams', speech, "volume=-18dB,aeval='val(0)+if(between(t,5,5.15),0.8*sin(2*PI*90*t),0)':c=same"),
  wav('speech/expanded', speech, 'agate=threshold=0.1:ratio=4'),
  wav('speech/then silence', speech, 'apad=pad_dur=20'),
  wav('speech/silence first', speech, 'adelay=12000'),
  wav('speech/in one ear', speech, 'pan=stereo|c0=c0'),
  wav('speech/clipped', speech, 'volume=30dB,aformat=s16,aformat=flt'),
];

const ofGenerators: readonly LoudnessSource[] = [
  wav('tone/997 Hz at -23', generated('sine=f=997:d=10:r=48000'), `volume=-2dB,${toStereo}`),
  wav('tone/60 Hz', generated('sine=f=60:d=10'), toStereo),
  wav(
    'tone/a quarter of the rate, between its samples',
    generated("aevalsrc='0.7*sin(PI/2*n+PI/4)':d=8:s=48000"),
    toStereo,
  ),
  wav('tone/12 kHz', generated('sine=f=12000:d=8:r=48000'), toStereo),
  wav('tone/square', generated("aevalsrc='0.5*sgn(sin(2*PI*220*t))':d=8:s=44100"), toStereo),
  wav('tone/sawtooth', generated("aevalsrc='mod(t*110,1)-0.5':d=8:s=44100"), toStereo),
  wav('tone/sweep', generated("aevalsrc='0.5*sin(2*PI*(40*t+400*t*t))':d=10:s=44100"), toStereo),
  wav('tone/bursts', generated("aevalsrc='if(lt(mod(t,1),0.1),0.9*sin(2*PI*700*t),0)':d=10:s=44100"), toStereo),
  wav('noise/white', generated('anoisesrc=c=white:d=8:a=0.3:seed=1'), toStereo),
  wav('noise/pink', generated('anoisesrc=c=pink:d=8:a=0.3:seed=2'), toStereo),
  wav('noise/brown', generated('anoisesrc=c=brown:d=8:a=0.5:seed=3'), toStereo),
  wav('noise/applause', generated('anoisesrc=c=white:d=8:a=0.3:seed=4'), `tremolo=f=9:d=0.9,${toStereo}`),
  wav(
    'noise/drum',
    generated('anoisesrc=c=pink:d=10:a=0.9:seed=5'),
    `aeval='val(0)*exp(-25*mod(t,0.5))':c=same,${toStereo}`,
  ),
  wav(
    'noise/a film: soft, and an explosion',
    generated('anoisesrc=c=pink:d=16:a=0.01:seed=6'),
    `volume=eval=frame:volume='if(between(t,9,10.5),90,1)',${toStereo}`,
  ),
  withNote(wav('noise/floor of a microphone', generated('anoisesrc=a=0.001:d=5:seed=7'), toStereo), tooQuiet),
  withNote(
    wav(
      'clicks/one in silence',
      generated('anullsrc=r=44100:cl=mono:d=6'),
      `aeval='if(eq(n,90000),0.9,0)':c=same,${toStereo}`,
    ),
    peaksInTheWay,
  ),
  withNote(
    wav(
      'clicks/ten a second',
      generated('anullsrc=r=44100:cl=mono:d=6'),
      `aeval='if(mod(n,4410),0,0.9)':c=same,${toStereo}`,
    ),
    peaksInTheWay,
  ),
  withNote(wav('silence/5 s', generated('anullsrc=r=44100:cl=stereo:d=5'), 'anull'), hasNoLoudness),
  withNote(wav('silence/a step of 16 bits', generated('anoisesrc=a=0.00003:d=5:seed=8'), toStereo), hasNoLoudness),
  withNote(wav('short/0.2 s', generated('sine=f=500:d=0.2'), toStereo), hasNoLoudness),
];

const speechStereo = ['-af', toStereo, '-ar', '44100'];
const ofFormats: readonly LoudnessSource[] = [
  encodedAs('mp3/64 kbit/s', '.mp3', music, '-b:a', '64k'),
  encodedAs('mp3/variable, speech', '.mp3', speech, ...speechStereo, '-q:a', '5'),
  encodedAs('aac/96 kbit/s', '.m4a', music, '-b:a', '96k'),
  encodedAs('opus/24 kbit/s, speech', '.ogg', speech, '-c:a', 'libopus', '-b:a', '24k'),
  encodedAs('vorbis/as it is', '.ogg', music, '-c', 'copy'),
  encodedAs('flac/24 bit at 96 kHz', '.flac', music, '-ar', '96000', '-sample_fmt', 's32'),
  encodedAs('wav/16 bit at 11.025 kHz', '.wav', music, '-ar', '11025'),
  encodedAs('wav/192 kHz', '.wav', music, '-ar', '192000', '-t', '8'),
  encodedAs('wav/8 bit', '.wav', music, '-c:a', 'pcm_u8'),
  encodedAs('wav/mu-law', '.wav', speech, '-c:a', 'pcm_mulaw'),
  encodedAs('wav/5.1', '.wav', music, '-af', 'pan=5.1|c0=c0|c1=c1|c2=0.5*c0+0.5*c1|c3=0.2*c0|c4=0.4*c0|c5=0.4*c1'),
  encodedAs('wav/a rate of its own', '.wav', music, '-ar', '37123'),
  encodedAs(
    'mkv/a film',
    '.mkv',
    [...generated('testsrc=s=64x64:d=10'), ...music],
    '-shortest',
    '-c:v',
    'mpeg4',
    '-c:a',
    'ac3',
  ),
];

export const loudnessSources: readonly LoudnessSource[] = [...ofMusic, ...ofSpeech, ...ofGenerators, ...ofFormats];
