"""What a LeRobot v2.1 dataset says about itself: feature names, info.json, and GR00T's modality.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from pipeline.video import VideoInfo
from sim.robot import ACTION_NAMES, STATE_NAMES

CHUNK_SIZE = 1000
DATA_PATH = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
VIDEO_PATH = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"


@dataclass(frozen=True)
class KeyNames:
    """How the features are called in the dataset.

    Attributes:
        cameras: camera -> feature, in the order of info.json.
        state: feature of the state.
        action: feature of the action.
        annotations: also write `annotation.human.stage` and `annotation.human.subtask`, which index
            tasks.jsonl (where the stage and subtask texts follow the goals): the only form in which GR00T's
            loader reads captions.
    """

    cameras: Mapping[str, str]
    state: str
    action: str
    annotations: bool


LEROBOT_NAMES = KeyNames(
    cameras={
        "agentview_left": "observation.images.agentview_left",
        "agentview_right": "observation.images.agentview_right",
        "wrist": "observation.images.wrist",
    },
    state="observation.state",
    action="action",
    annotations=True,
)
"""lerobot's own convention, which its policies map by themselves."""

OPENPI_NAMES = KeyNames(
    cameras={"agentview_left": "image", "wrist": "wrist_image", "agentview_right": "right_image"},
    state="state",
    action="actions",
    annotations=False,
)
"""The published benchmark's features, and no others, so that the two datasets can be mixed."""

KEY_NAMES = {"lerobot": LEROBOT_NAMES, "openpi": OPENPI_NAMES}


@dataclass(frozen=True)
class Slice:
    """A named run of elements of the state or action vector.

    Attributes:
        name: name in modality.json.
        elements: name of each number.
        rotation: GR00T's rotation type, if it is one.
        absolute: False if the number is a change, so that padding past the end of an episode is zero.
    """

    name: str
    elements: tuple[str, ...]
    rotation: str | None = None
    absolute: bool = True


Layout = tuple[Slice, ...]

# The slice names are those of RoboCasa365's datasets, so that its GR00T configuration for this robot fits.
STATE_LAYOUT: Layout = (
    Slice("end_effector_position_relative", STATE_NAMES[0:3]),
    Slice("end_effector_rotation_relative", STATE_NAMES[3:7], rotation="quaternion"),
    Slice("base_position", STATE_NAMES[7:10]),
    Slice("base_rotation", STATE_NAMES[10:14], rotation="quaternion"),
    Slice("gripper_qpos", STATE_NAMES[14:16]),
)
ACTION_LAYOUT: Layout = (
    Slice("end_effector_position", ACTION_NAMES[0:3], absolute=False),
    Slice("end_effector_rotation", ACTION_NAMES[3:6], rotation="axis_angle", absolute=False),
    Slice("gripper_close", ACTION_NAMES[6:7]),
    Slice("base_motion", ACTION_NAMES[7:11], absolute=False),
    Slice("control_mode", ACTION_NAMES[11:12]),
)


def elements(layout: Layout) -> list[str]:
    """Name of every number of a vector, in order."""
    return [element for part in layout for element in part.elements]


def features(names: KeyNames, state: Layout, action: Layout, videos: Mapping[str, VideoInfo]) -> dict[str, dict]:
    """The `features` of info.json: cameras, state, action, caption indices, lerobot's index columns."""
    result: dict[str, dict] = {key: _video_feature(videos[camera]) for camera, key in names.cameras.items()}
    for key, layout in ((names.state, state), (names.action, action)):
        labels = elements(layout)
        result[key] = {"dtype": "float32", "shape": [len(labels)], "names": labels}
    captions = ["subtask_index", "stage_index"]
    if names.annotations:
        captions += ["annotation.human.stage", "annotation.human.subtask"]
    columns = dict.fromkeys(captions, "int64") | {"timestamp": "float32"}
    columns |= dict.fromkeys(("frame_index", "episode_index", "index", "task_index"), "int64")
    return result | {key: {"dtype": dtype, "shape": [1], "names": None} for key, dtype in columns.items()}


def arrow_schema(features: Mapping[str, dict]) -> pa.Schema:
    """The schema of every parquet file, with the metadata by which Hugging Face datasets recognises it."""
    fields, described = [], {}
    for key, feature in features.items():
        if feature["dtype"] == "video":
            continue
        value = {"dtype": feature["dtype"], "_type": "Value"}
        scalar = pa.float32() if feature["dtype"] == "float32" else pa.int64()
        (size,) = feature["shape"]
        fields.append(pa.field(key, scalar if size == 1 else pa.list_(scalar, size)))
        described[key] = value if size == 1 else {"feature": value, "length": size, "_type": "Sequence"}
    return pa.schema(fields, metadata={"huggingface": json.dumps({"info": {"features": described}})})


def info(
    features: Mapping[str, dict], *, robot_type: str, fps: int, episodes: int, frames: int, tasks: int
) -> dict[str, Any]:
    """info.json, keys in lerobot's order."""
    cameras = sum(feature["dtype"] == "video" for feature in features.values())
    return {
        "codebase_version": "v2.1",
        "robot_type": robot_type,
        "total_episodes": episodes,
        "total_frames": frames,
        "total_tasks": tasks,
        "total_videos": cameras * episodes,
        "total_chunks": -(-episodes // CHUNK_SIZE),
        "chunks_size": CHUNK_SIZE,
        "fps": fps,
        "splits": {"train": f"0:{episodes}"},
        "data_path": DATA_PATH,
        "video_path": VIDEO_PATH,
        "features": dict(features),
    }


def modality(names: KeyNames, state: Layout, action: Layout) -> dict[str, Any]:
    """modality.json for GR00T: the named slices of the vectors, the cameras, and where the texts are."""
    annotation = {"human.task_description": {"original_key": "task_index"}}
    if names.annotations:
        annotation |= {
            "human.stage": {"original_key": "annotation.human.stage"},
            "human.subtask": {"original_key": "annotation.human.subtask"},
        }
    return {
        "state": _slices(names.state, state),
        "action": _slices(names.action, action),
        "video": {camera: {"original_key": key} for camera, key in names.cameras.items()},
        "annotation": annotation,
    }


def _slices(key: str, layout: Layout) -> dict[str, dict]:
    result: dict[str, dict] = {}
    start = 0
    for part in layout:
        end = start + len(part.elements)
        result[part.name] = {"start": start, "end": end}
        if part.rotation:
            result[part.name]["rotation_type"] = part.rotation
        result[part.name] |= {"absolute": part.absolute, "dtype": "float32", "original_key": key}
        start = end
    return result


def _video_feature(video: VideoInfo) -> dict[str, Any]:
    return {
        "dtype": "video",
        "shape": [video.height, video.width, 3],
        "names": ["height", "width", "channels"],
        "info": {
            "video.height": video.height,
            "video.width": video.width,
            "video.codec": video.codec,
            "video.pix_fmt": video.pix_fmt,
            "video.is_depth_map": False,
            "video.fps": video.fps,
            "video.channels": 3,
            "has_audio": False,
        },
    }
