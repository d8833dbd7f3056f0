# Prints what mutagen finds in each of the files, as one JSON document: read-by-mutagen.py <file> …
import base64
import hashlib
import json
import sys

import mutagen
from mutagen.flac import Picture
from mutagen.id3 import ID3
from mutagen.mp4 import MP4


def picture(mime, data):
    return {"mimeType": mime, "sha256": hashlib.sha256(bytes(data)).hexdigest()}


def of_id3(tags):
    text = lambda name: str(tags[name].text[0]) if name in tags else None
    chapters = sorted(tags.getall("CHAP"), key=lambda one: one.start_time)
    comments = [comment for comment in tags.getall("COMM") if comment.desc == ""]
    return {
        "title": text("TIT2"),
        "artist": text("TPE1"),
        "album": text("TALB"),
        "date": text("TDRC"),
        "track": text("TRCK"),
        "genre": text("TCON"),
        "comment": comments[0].text[0] if comments else None,
        "custom": text("TXXX:SHOW ID"),
        "picture": [picture(one.mime, one.data) for one in tags.getall("APIC")],
        "chapters": [[one.start_time / 1000, one.sub_frames["TIT2"].text[0]] for one in chapters],
        "contents": [one.child_element_ids for one in tags.getall("CTOC")],
    }


def of_mp4(file):
    tags = file.tags
    first = lambda name: tags[name][0] if name in tags else None
    number, total = first("trkn")
    custom = first("----:com.apple.iTunes:SHOW ID")
    kinds = {13: "image/jpeg", 14: "image/png"}
    return {
        "title": first("\xa9nam"),
        "artist": first("\xa9ART"),
        "album": first("\xa9alb"),
        "date": first("\xa9day"),
        "track": f"{number}/{total}",
        "genre": first("\xa9gen"),
        "comment": first("\xa9cmt"),
        "custom": None if custom is None else bytes(custom).decode(),
        "picture": [picture(kinds[one.imageformat], one) for one in tags.get("covr", [])],
        "chapters": [[one.start, one.title] for one in file.chapters or []],
    }


def seconds(clock):
    hours, minutes, rest = clock.split(":")
    return round(int(hours) * 3600 + int(minutes) * 60 + float(rest), 3)


def of_vorbis(file):
    tags = file.tags
    first = lambda name: tags[name][0] if name in tags else None
    pictures = list(getattr(file, "pictures", []))
    pictures += [Picture(base64.b64decode(block)) for block in tags.get("metadata_block_picture", [])]
    names = sorted(name for name, _ in tags if len(name) == 10 and name.upper().startswith("CHAPTER"))
    return {
        **{name: first(name) for name in ["title", "artist", "album", "date", "genre", "comment"]},
        "track": first("tracknumber"),
        "custom": first("show id"),
        "picture": [picture(one.mime, one.data) for one in pictures],
        "chapters": [[seconds(first(name)), first(f"{name}NAME")] for name in names],
    }


def read(path):
    file = mutagen.File(path)
    found = of_id3(file.tags) if isinstance(file.tags, ID3) else of_mp4(file) if isinstance(file, MP4) else of_vorbis(file)
    return {"kind": type(file).__name__, "seconds": round(file.info.length, 4), **found}


def length(path):
    return round(mutagen.File(path).info.length, 4)


print(json.dumps([{**read(path), "plainSeconds": length(path.replace("-tagged.", "-plain."))} for path in sys.argv[1:]]))
